{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Evolution.Random
-- Description : Random schemas, random changes of them, and a naive translation of values
module Tests.Evolution.Random
  ( Evolved (..),
    genEvolved,
    genSimple,
    naive,
  )
where

import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..), pruned)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Types (fieldShapes, shapesIn)
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import GHC.Float (float2Double)
import Test.QuickCheck hiding (Fixed, NonEmpty)
import Tests.Generate

-- | A schema, and what it has become.
data Evolved = Evolved
  { evolvedOld :: Schema,
    evolvedNew :: Schema,
    evolvedEdits :: V.Vector [Edit],
    -- | Has anything been left out?
    evolvedDrops :: Bool
  }

instance Show Evolved where
  show e =
    concat
      [ T.unpack (describeSchema (evolvedOld e)),
        "becomes\n",
        T.unpack (describeSchema (evolvedNew e)),
        unlines (map (unwords . map edit) (V.toList (evolvedEdits e)))
      ]
    where
      edit c = case c of
        Added n bs -> "added " ++ show n ++ " " ++ show bs
        Renamed a b -> "renamed " ++ show (a, b)
        Dropped n -> "dropped " ++ show n
        Converted n _ _ -> "converted " ++ show n
        RenamedConstructor a b -> "renamedConstructor " ++ show (a, b)
        DroppedConstructor n -> "droppedConstructor " ++ show n
        UnknownConstructors n -> "unknownConstructors " ++ show n
        NotEditable -> "not editable"

genEvolved :: Gen Evolved
genEvolved = do
  old <- genSchema
  let ds = schemaDefinitions old
      keys = inKeys old
      evolve (i, d) = evolveDefinition (peel ds) (IS.member i keys) d
  changed <- mapM evolve (V.toList (V.indexed ds))
  root <- evolveShape (peel ds) False True True (schemaRoot old)
  let Description new edits = pruned root (IM.fromList (zip [0 ..] changed))
      drops = or [True | (_, cs) <- changed, c <- cs, isDrop c]
  pure (Evolved old new edits drops)
  where
    isDrop c = case c of
      Dropped _ -> True
      _ -> False

-- The definitions that are parts of keys.
inKeys :: Schema -> IS.IntSet
inKeys s = reach IS.empty (concatMap keysIn (schemaRoot s : concatMap fieldShapes (V.toList ds)))
  where
    ds = schemaDefinitions s
    keysIn shape = own shape ++ concatMap keysIn (shapesIn shape)
    own shape = case shape of
      Set _ k -> refs k
      Map _ k _ -> refs k
      Array k _ -> refs k
      _ -> []
    refs shape = case shape of
      Reference i -> [i]
      _ -> concatMap refs (shapesIn shape)
    reach seen is = case is of
      [] -> seen
      i : rest
        | IS.member i seen -> reach seen rest
        | otherwise -> reach (IS.insert i seen) (concatMap refs (fieldShapes (ds V.! i)) ++ rest)

-- Without newtypes around it. (Those of themselves end nowhere.)
peel :: V.Vector Definition -> Shape -> Shape
peel ds = go (V.length ds)
  where
    go n shape = case shape of
      Reference i
        | n > 0,
          Definition _ Newtype _ [Constructor _ _ [Field _ inner]] <- ds V.! i ->
          go (n - 1) inner
      -- Nor the format: what is wrapped in a list is no list, packed or not.
      Packed inner -> go n inner
      Unpacked inner -> go n inner
      _ -> shape

evolveDefinition :: (Shape -> Shape) -> Bool -> Definition -> Gen (Definition, [Edit])
evolveDefinition bare key d = case definitionForm d of
  Newtype -> do
    cs <- mapM (fmap fst . evolveConstructor bare key True) (definitionConstructors d)
    pure (d {definitionConstructors = cs}, [])
  Record -> do
    (cs, edits) <- unzip <$> mapM (evolveConstructor bare key False) (definitionConstructors d)
    pure (d {definitionConstructors = cs}, concat edits)
  Sum -> do
    (cs, edits) <- unzip <$> mapM alternative (definitionConstructors d)
    let kept = concat cs
        inner = concat edits
    if key
      then pure (d {definitionConstructors = kept}, inner)
      else do
        more <- frequency [(3, pure []), (2, new <$> choose (1, 2)), (1, new <$> choose (5, 9))]
        shuffled <- oneof [pure (kept ++ more), shuffle (kept ++ more)]
        pure (d {definitionConstructors = shuffled}, inner)
  where
    new :: Int -> [Constructor]
    new n = [Constructor (T.pack ("New" ++ show i)) False [] | i <- [1 .. n]]
    alternative c
      | key || constructorRetired c = (\(x, e) -> ([x], e)) <$> evolveConstructor bare key False c
      | otherwise = do
        what <- choose (0, 15 :: Int)
        (x, e) <- evolveConstructor bare key False c
        let name = constructorName c
        pure $ case what of
          0 -> ([], [DroppedConstructor name])
          1 ->
            let name' = T.append name "b"
             in ([x {constructorName = name'}], RenamedConstructor name name' : e)
          _ -> ([x], e)

evolveConstructor :: (Shape -> Shape) -> Bool -> Bool -> Constructor -> Gen (Constructor, [Edit])
evolveConstructor bare key new c = do
  fields <- mapM field (constructorFields c)
  let kept = concatMap fst fields
      edits = concatMap snd fields
  if key || new || constructorRetired c
    then pure (c {constructorFields = kept}, edits)
    else do
      more <- frequency [(3, pure []), (2, (: []) <$> fresh 1), (1, mapM fresh [1, 2])]
      let all' = map fst more
      mixed <- oneof [insertAnywhere all' kept, shuffle (kept ++ all')]
      pure (c {constructorFields = mixed}, edits ++ map snd more)
  where
    field f
      | key = (\s -> ([f {fieldShape = s}], [])) <$> evolveShape bare True True True (fieldShape f)
      | otherwise = do
        what <- choose (0, 9 :: Int)
        s <- evolveShape bare False (not new) (not new) (fieldShape f)
        let name = unique (fieldName f)
            renamed' = T.append name "b"
        pure $
          if new
            then ([f {fieldShape = s}], [])
            else case what of
              0 -> ([], [Dropped (fieldName f)])
              1 -> ([Field renamed' s], [Renamed (fieldName f) renamed'])
              _ -> ([f {fieldShape = s}], [])
    -- Fields of other constructors have the same names. Edits are of all constructors.
    unique name = T.concat [name, constructorName c]
    fresh :: Int -> Gen (Field, Edit)
    fresh i = do
      (shape, bytes) <-
        elements
          [ (Leaf Unit, ""),
            (Leaf (Number W8), "\7"),
            (Leaf (Number I32), "\1\2\3\4"),
            (Leaf (Utf8 LengthVarint), "\3web"),
            (Optional (Leaf Boolean), "\1\1"),
            (List Length64 (Leaf Unit), "\2\0\0\0\0\0\0\0")
          ]
      let name = T.pack ("new" ++ show i ++ T.unpack (constructorName c))
      pure (Field name shape, Added name bytes)

insertAnywhere :: [a] -> [a] -> Gen [a]
insertAnywhere new old = case new of
  [] -> pure old
  x : rest -> do
    i <- choose (0, length old)
    let (a, b) = splitAt i old
    insertAnywhere rest (a ++ x : b)

-- In a key? May it be wrapped in a Maybe, in a list?
evolveShape :: (Shape -> Shape) -> Bool -> Bool -> Bool -> Shape -> Gen Shape
evolveShape bare key maybeOk listOk shape = do
  what <- choose (0, 11 :: Int)
  case what of
    0
      | not key,
        maybeOk,
        not (isOptional (bare shape)) ->
        Optional <$> evolveShape bare key False True shape
    1
      | not key,
        listOk,
        not (isListed (bare shape)) -> do
        len <- elements [Length64, LengthVarint]
        elements [List len, NonEmpty len] <*> evolveShape bare key True False shape
    2 -> inside >>= widened
    3 -> inside >>= widened
    _ -> inside
  where
    isOptional s = case s of
      Optional _ -> True
      _ -> False
    isListed s = case s of
      List _ _ -> True
      NonEmpty _ _ -> True
      Set _ _ -> True
      _ -> False
    inner = evolveShape bare key
    inside = case shape of
      Optional s -> Optional <$> inner False True s
      Tuple ss -> Tuple <$> mapM (inner True True) ss
      List n s -> List <$> other n <*> inner True False s
      NonEmpty n s -> do
        con <- elements [NonEmpty, NonEmpty, List]
        con <$> other n <*> inner True False s
      Set n s -> Set <$> other n <*> evolveShape bare True False False s
      Map n k v ->
        Map <$> other n <*> evolveShape bare True False False k <*> evolveShape bare key True True v
      Array i s -> Array i <$> inner True True s
      _ -> pure shape
    other n = frequency [(5, pure n), (1, elements [Length64, LengthVarint])]
    widened s = case s of
      Leaf Float32 -> elements [Leaf Float32, Leaf Float64, Leaf Float64BE]
      Leaf Float32BE -> elements [Leaf Float32BE, Leaf Float64]
      Leaf (Utf8 _) -> Leaf . Utf8 <$> elements [Length64, LengthVarint]
      Leaf (Bytes _)
        | not key -> Leaf <$> elements [Bytes Length64, ByteArray LengthVarint]
      Leaf l
        | isPlainNumber l -> Leaf <$> elements (filter (holds (wholeRange l)) plainNumbers)
      Between low high l ->
        elements
          ( Between (low - 3) (high + 1) (Number I16) :
              [Leaf m | isPlainNumber l, m <- filter (holds (Just low, Just high)) plainNumbers]
          )
      Ratio (Leaf l)
        | isPlainNumber l -> Ratio . Leaf <$> elements (filter (holds (wholeRange l)) plainNumbers)
      _ -> pure s

plainNumbers :: [Leaf]
plainNumbers =
  [f n | f <- [Number, Number, BigEndian, Varint, Zigzag], n <- [minBound .. maxBound]]
    ++ [BigInteger, BigNatural]

isPlainNumber :: Leaf -> Bool
isPlainNumber = (`elem` plainNumbers)

holds :: (Maybe Integer, Maybe Integer) -> Leaf -> Bool
holds (low, high) l = case wholeRange l of
  (low', high') ->
    maybe True (\n -> maybe False (n <=) low) low'
      && maybe True (\n -> maybe False (n >=) high) high'

-- | The value of the new schema, in the plain format. 'Nothing' if it has a constructor that has
-- been dropped.
naive :: Evolved -> Value -> Maybe Value
naive (Evolved old new edits _) = go (schemaRoot old) (schemaRoot new) . plainValue
  where
    peelOld = peel (schemaDefinitions old)
    peelNew = peel (schemaDefinitions new)
    go :: Shape -> Shape -> Value -> Maybe Value
    go x0 y0 v = case (peelOld x0, peelNew y0, v) of
      (Reference _, Reference j, Fields c xs) ->
        let x = only (definitionConstructors (schemaDefinitions new V.! j))
         in Fields x <$> fields (edits V.! j) c x xs
      (Reference _, Reference j, Tagged _ _ c xs) -> do
        let cs = definitionConstructors (schemaDefinitions new V.! j)
            name = constructorName c
            target =
              fromMaybe name (List.lookup name [(a, b) | RenamedConstructor a b <- edits V.! j])
        k <- List.findIndex ((== target) . constructorName) cs
        let x = cs !! k
        Tagged (length cs) k x <$> fields (edits V.! j) c x xs
      (Optional a, Optional b, Perhaps m) -> Perhaps <$> traverse (go a b) m
      (x, Optional b, _) -> Perhaps . Just <$> go x b v
      (Tuple as', Tuple bs, Several xs) ->
        Several . V.fromList <$> sequence [go a b w | (a, b, w) <- zip3 as' bs (V.toList xs)]
      (x, y, Elements _ xs)
        | Just (_, a) <- elementsOf x,
          Just (m, b) <- elementsOf y ->
          Elements m <$> traverse (go a b) xs
      (x, y, _)
        | Nothing <- elementsOf x,
          Just (m, b) <- elementsOf y ->
          Elements m . V.singleton <$> go x b v
      (Map _ k a, Map m l b, Entries _ xs) ->
        Entries m <$> traverse (\(p, q) -> (,) <$> go k l p <*> go a b q) xs
      (Array i a, Array j b, Indexed low high xs) ->
        Indexed <$> go i j low <*> go i j high <*> traverse (go a b) xs
      (_, Leaf l, Whole _ n) -> Just (Whole l n)
      (_, Between _ _ l, Whole _ n) -> Just (Whole l n)
      (_, Ratio (Leaf l), Fraction _ n d) -> Just (Fraction l n d)
      (_, Leaf l, Binary32 _ f)
        | l == Float64 || l == Float64BE -> Just (Binary64 l (float2Double f))
      (_, Leaf l, Blob _ bs) -> Just (Blob l bs)
      (_, Leaf l, Written _ t) -> Just (Written l t)
      _ -> Just v
    elementsOf shape = case shape of
      List m a -> Just (m, a)
      NonEmpty m a -> Just (m, a)
      Set m a -> Just (m, a)
      _ -> Nothing
    only cs = case cs of
      [c] -> c
      _ -> error "not a record"
    fields :: [Edit] -> Constructor -> Constructor -> V.Vector Value -> Maybe (V.Vector Value)
    fields said c x vs = V.fromList <$> mapM field (constructorFields x)
      where
        olds = zip (constructorFields c) (V.toList vs)
        field f = case [(s, w) | (Field name s, w) <- olds, today name == fieldName f] of
          (s, w) : _ -> go s (fieldShape f) w
          [] -> case [bs | Added name bs <- said, name == fieldName f] of
            bs : _ ->
              either (error . show) (Just . plainValue) $
                runGetWhole (getValue (defaultSchema f)) bs
            [] -> error "no default"
        today :: Text -> Text
        today name
          | name `elem` map fieldName (constructorFields x) = name
          | otherwise =
            fromMaybe
              name
              ( List.lookup
                  name
                  [(a, b) | Renamed a b <- said, b `elem` map fieldName (constructorFields x)]
              )
        defaultSchema f = Schema (fieldShape f) V.empty

-- | A record of numbers, strings and sums of a few bytes, whose fields stand in another order, and
-- sums that get constructors. One field may be new, and one may be gone.
genSimple :: Gen Evolved
genSimple = do
  shapes <-
    listOf1 . elements $
      [ Leaf (Number I64),
        Leaf (Number W8),
        Leaf (Utf8 Length64),
        List Length64 (Leaf (Number W32)),
        Optional (Leaf (Number W16)),
        Reference 1,
        Reference 2
      ]
  let olds = [Field (T.pack ('f' : show i)) s | (i, s) <- zip [0 :: Int ..] shapes]
  moved <- frequency [(1, pure olds), (3, shuffle olds)]
  gone <- frequency [(2, pure 0), (1, pure 1)]
  at <- choose (0, length moved)
  fresh <- elements [[], [Field "new" (Leaf (Number W16))]]
  let (left, rest) = splitAt at (drop gone moved)
      edits =
        [Dropped (fieldName f) | f <- take gone moved] ++ [Added "new" "\1\2" | not (null fresh)]
      schemaOf fields inA inB =
        Schema (Reference 0) . V.fromList $
          [ Definition "R" Record Unordered [Constructor "R" False fields],
            Definition "A" Sum Unordered inA,
            Definition "B" Sum Unordered inB
          ]
      old = schemaOf olds [c "A0" [], c "A1" [W8], c "A2" [W16]] [c "B0" [W32], c "B1" []]
      new =
        schemaOf
          (left ++ fresh ++ rest)
          [c "A3" [], c "A0" [], c "A1" [W8], c "A2" [W16]]
          [c "B0" [W32], c "B2" [], c "B1" []]
  pure (Evolved old new (V.fromList [edits, [], []]) (gone > 0))
  where
    c name ns = Constructor name False (zipWith part' [1 :: Int ..] ns)
    part' i n = Field (T.pack (show i)) (Leaf (Number n))
