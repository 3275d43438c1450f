-- |
-- Module      : Tests.Generate
-- Description : Random schemas, and random values of a schema
module Tests.Generate
  ( genSchema,
    genValue,
    plainValue,
    isExact,
    isComplete,
    mutations,
  )
where

import Ashlar.Schema
import Ashlar.Schema.Internal.Costs (isOrdered, unorderedIn)
import Ashlar.Schema.Internal.Describe (Description (..), pruned)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Types (fieldShapes, shapesIn)
import Ashlar.Schema.Internal.Value (compareValues)
import Data.Bifunctor (bimap)
import qualified Data.ByteString as B
import qualified Data.IntMap as IM
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import qualified Data.Text as T
import qualified Data.Vector as V
import Test.QuickCheck hiding (Fixed, NonEmpty)

-- | A schema that is valid, but may be of no type: with any cycles.
genSchema :: Gen Schema
genSchema = do
  n <- choose (0, 6)
  defs <- mapM (\i -> genDefinition n i) [0 .. n - 1]
  root <- genShape n 3
  pure (descriptionSchema (pruned root (IM.fromList (zip [0 ..] [(d, []) | d <- defs]))))

genDefinition :: Int -> Int -> Gen Definition
genDefinition n i = do
  form <- elements [Newtype, Record, Sum, Sum]
  k <- case form of
    Sum -> frequency [(9, choose (0, 4)), (1, choose (250, 260))]
    _ -> pure 1
  cs <- mapM (constructor form k) [1 .. k]
  order <- elements [Unordered, ByParts]
  pure (Definition (T.pack ("T" ++ show i)) form order cs)
  where
    constructor form k j = do
      gone <- if form == Sum then frequency [(5, pure False), (1, pure True)] else pure False
      f <-
        if form
          == Newtype
          then pure 1
          else if gone || k > 9 then pure 0 else choose (0, 3 :: Int)
      fields <- mapM (\m -> Field (T.pack ("f" ++ show m)) <$> genShape n 2) [1 .. f]
      pure (Constructor (T.pack ("C" ++ show (j :: Int))) gone fields)

-- Given the number of definitions, and how deep it may be.
genShape :: Int -> Int -> Gen Shape
genShape n deep
  | deep <= 0 = frequency ((3, genLeaf) : references)
  | otherwise =
    frequency $
      [ (6, genLeaf),
        (1, Optional <$> inner),
        (1, Tuple <$> (choose (2, 3) >>= \k -> vectorOf k inner)),
        (2, List <$> len <*> inner),
        (1, NonEmpty <$> len <*> inner),
        (1, Set <$> len <*> inner),
        (1, Map <$> len <*> inner <*> inner),
        (1, Array <$> elements indices <*> inner),
        (1, Ratio <$> (Leaf <$> elements [BigInteger, Number I8, Varint W16])),
        (1, Constant . B.pack <$> (choose (0, 3) >>= vector)),
        (1, Packed <$> inner),
        (1, Unpacked <$> inner),
        ( 1,
          (\l h -> Between (min l h) (max l h) (Number I8)) <$> choose (-128, 127)
            <*> choose
              (-128, 127)
        )
      ]
        ++ references
  where
    inner = genShape n (deep - 1)
    len = elements [Length64, LengthVarint]
    references = [(4, Reference <$> choose (0, n - 1)) | n > 0]
    indices = [Leaf (Number W8), Leaf Boolean, Tuple [Leaf (Number I16), Leaf Character]]

genLeaf :: Gen Shape
genLeaf = Leaf <$> elements leaves
  where
    leaves =
      [Unit, Float32, Float64, Float32BE, Float64BE, Boolean, Character, ScalarCharacter]
        ++ [BigInteger, BigNatural, FixedPoint 100, Date, Duration, Utf16]
        ++ [f n | f <- [Number, BigEndian, Varint, Zigzag], n <- [minBound .. maxBound]]
        ++ [f l | f <- [Bytes, ByteArray, Utf8], l <- [Length64, LengthVarint]]

-- | A value, if there are finite ones that are described.
genValue :: Schema -> Maybe (Gen Value)
genValue s
  | depth (schemaRoot s) >= endless = Nothing
  | otherwise = Just (sized (\n -> value (min 40 n) (schemaRoot s)))
  where
    definitions = schemaDefinitions s
    endless = 1000000 :: Int
    -- The least nesting of a value, by iteration from above.
    depths = iterate step (V.map (const endless) definitions) !! (V.length definitions + 1)
    step known = V.map (definitionDepth known) definitions
    definitionDepth known d =
      minimum (endless : [constructorDepth known c | c <- definitionConstructors d])
    constructorDepth known c
      | constructorRetired c = endless
      | otherwise = 1 + maximum (0 : map (shapeDepth known . fieldShape) (constructorFields c))
    shapeDepth known shape = case shape of
      Reference i -> known V.! i
      Tuple ss -> maximum (map (shapeDepth known) ss)
      NonEmpty _ inner -> shapeDepth known inner
      Array i _ -> shapeDepth known i
      Opaque _ _ Nothing -> endless
      Irregular _ -> endless
      Packed inner -> shapeDepth known inner
      Unpacked inner -> shapeDepth known inner
      _ -> 0
    depth = shapeDepth depths
    unordered = unorderedIn s

    value :: Int -> Shape -> Gen Value
    value fuel shape = case shape of
      Leaf l -> leafValue l
      Between low high l -> Whole l <$> choose (low, high)
      Ratio inner -> do
        x <- value fuel inner
        y <- value fuel inner
        pure $ case (x, y) of
          (Whole l n, Whole _ d) ->
            let d' = max 1 (abs d)
                g = gcd n d'
             in if fits l d' then Fraction l (n `quot` g) (d' `quot` g) else Fraction l 0 1
          _ -> x
      Optional inner
        | fuel <= 0 || depth inner >= endless -> pure (Perhaps Nothing)
        | otherwise -> Perhaps <$> oneof [pure Nothing, Just <$> value (fuel - 1) inner]
      Tuple ss -> Several . V.fromList <$> mapM (value (fuel `quot` 2)) ss
      List len inner -> Elements len . V.fromList <$> several 0 fuel inner
      NonEmpty len inner -> Elements len . V.fromList <$> several 1 fuel inner
      Set len inner -> Elements len . V.fromList . ascending inner <$> several 0 fuel inner
      Map len k v -> do
        keys <- if depth v >= endless then pure [] else ascending k <$> several 0 fuel k
        Entries len . V.fromList <$> mapM (\key -> (,) key <$> value (fuel `quot` 4) v) keys
      Array i inner -> do
        (low, high, n) <- bounds i
        if (fuel <= 0 || depth inner >= endless) && n > 0
          then value fuel shape
          else Indexed low high . V.fromList <$> vectorOf n (value (fuel `quot` 4) inner)
      Constant bs -> pure (Raw bs)
      Reference i -> definitionValue fuel (definitions V.! i)
      Opaque _ _ size -> Raw . B.pack <$> vector (fromMaybe 0 size)
      Irregular _ -> error "not described"
      Packed inner -> InPacked <$> value fuel inner
      Unpacked inner -> InPlain <$> value fuel inner
    several least fuel inner
      | depth inner >= endless = pure []
      | otherwise = do
        n <- choose (least, max least (min 6 fuel))
        vectorOf n (value (fuel `quot` max 1 (n + 1)) inner)
    -- Where the order is not known, one key is in order.
    ascending inner xs
      | isOrdered unordered inner =
        map head' (List.groupBy (\x y -> compareValues x y == EQ) (List.sortBy compareValues xs))
      | otherwise = take 1 xs
    head' xs = case xs of
      x : _ -> x
      [] -> error "no group is empty"

    definitionValue :: Int -> Definition -> Gen Value
    definitionValue fuel d = do
      let cs = zip [0 ..] (definitionConstructors d)
          finite = [(i, c) | (i, c) <- cs, constructorDepth depths c < endless]
          least = minimum (map (constructorDepth depths . snd) finite)
          few =
            if fuel > 0
              then finite
              else [(i, c) | (i, c) <- finite, constructorDepth depths c == least]
      (i, c) <- elements few
      let f = length (constructorFields c)
      xs <- mapM (value ((fuel - 1) `quot` max 1 f) . fieldShape) (constructorFields c)
      pure $ case definitionForm d of
        Newtype | [x] <- xs -> x
        Sum -> Tagged (length cs) i c (V.fromList xs)
        _ -> Fields c (V.fromList xs)

    -- Bounds, and how many indices there are between them.
    bounds :: Shape -> Gen (Value, Value, Int)
    bounds shape = case shape of
      Tuple ss -> do
        all' <- mapM bounds ss
        let (ls, hs, ns) = unzip3 all'
        pure (Several (V.fromList ls), Several (V.fromList hs), product ns)
      Leaf Boolean -> range (Truth . toEnum . fromInteger) 0 1
      Leaf l@Character -> range (Letter l . toEnum . fromInteger) 0 1000
      Leaf l
        | (Just low, Just high) <- wholeRange l -> range (Whole l) low high
        | otherwise -> range (Whole l) (-100) 100
      Reference i ->
        let cs = definitionConstructors (definitions V.! i)
            at j = Tagged (length cs) (fromInteger j) (cs !! fromInteger j) V.empty
         in range at 0 (toInteger (length cs) - 1)
      _ -> error "no index"
    range make low high = do
      n <- choose (0, min 3 (high - low))
      l <- choose (low + 1, min high (high - n + 1))
      pure (make l, make (l + n - 1), fromInteger n)

fits :: Leaf -> Integer -> Bool
fits l n = case wholeRange l of
  (_, Just high) -> n <= high
  _ -> True

leafValue :: Leaf -> Gen Value
leafValue l = case l of
  Unit -> pure (Several V.empty)
  Float32 -> Binary32 l <$> arbitrary
  Float32BE -> Binary32 l <$> arbitrary
  Float64 -> Binary64 l <$> arbitrary
  Float64BE -> Binary64 l <$> arbitrary
  Boolean -> Truth <$> arbitrary
  Character -> Letter l <$> oneof [arbitrary, choose ('\xD7F0', '\xE010')]
  ScalarCharacter -> Letter l <$> scalar
  Bytes _ -> Blob l . B.pack <$> arbitrary
  ByteArray _ -> Blob l . B.pack <$> arbitrary
  Utf8 _ -> Written l . T.pack <$> listOf scalar
  Utf16 -> Written l . T.pack <$> listOf scalar
  _ ->
    Whole l <$> case wholeRange l of
      (Just low, Just high) -> oneof [choose (low, high), elements [low, high, 0], choose (0, 100)]
      (Just low, Nothing) -> (low +) . abs <$> big
      _ -> big
  where
    scalar =
      oneof [arbitrary, elements "\x10FFFF\xFFFF\x800"] `suchThat` \c ->
        c < '\xD800' || c > '\xDFFF'
    big = oneof [choose (-1000, 1000), choose (-(2 ^ (70 :: Int)), 2 ^ (70 :: Int))]

-- | What 'getPlainValue' should read in place of this value.
plainValue :: Value -> Value
plainValue value = case value of
  InPacked x -> plainValue x
  InPlain x -> plainValue x
  Perhaps m -> Perhaps (plainValue <$> m)
  Several xs -> Several (V.map plainValue xs)
  Elements len xs -> Elements len (V.map plainValue xs)
  Entries len xs -> Entries len (V.map (bimap plainValue plainValue) xs)
  Indexed low high xs -> Indexed (plainValue low) (plainValue high) (V.map plainValue xs)
  Fields c xs -> Fields c (V.map plainValue xs)
  Tagged count i c xs -> Tagged count i c (V.map plainValue xs)
  _ -> value

-- | Does a decoder by schema refuse all that the decoder of the type does?
isExact :: Schema -> Bool
isExact s = all exact (schemaRoot s : concatMap fieldShapes (V.toList (schemaDefinitions s)))
  where
    unordered = unorderedIn s
    exact shape = here shape && all exact (shapesIn shape)
    here shape = case shape of
      Set _ k -> isOrdered unordered k
      Map _ k _ -> isOrdered unordered k
      Array i _ -> plain i
      Opaque {} -> False
      Irregular _ -> False
      _ -> True
    plain shape = case shape of
      Leaf _ -> True
      Tuple ss -> all plain ss
      _ -> False

-- | Does it describe all values?
isComplete :: Schema -> Bool
isComplete s = all complete (schemaRoot s : concatMap fieldShapes (V.toList (schemaDefinitions s)))
  where
    complete shape = case shape of
      Irregular _ -> False
      Opaque _ _ Nothing -> False
      _ -> all complete (shapesIn shape)

-- | Bytes that are almost these.
mutations :: B.ByteString -> Gen B.ByteString
mutations bs = do
  i <- choose (0, max 0 (B.length bs - 1))
  w <- oneof [choose (0, 3), arbitrary]
  let (before, after) = B.splitAt i bs
  elements
    [ B.concat [before, B.singleton w, B.drop 1 after],
      B.concat [before, B.drop 1 after],
      B.concat [before, B.singleton w, after],
      before,
      B.append bs (B.singleton w),
      B.concat [B.reverse (B.take 4 after), before, B.drop 4 after]
    ]
