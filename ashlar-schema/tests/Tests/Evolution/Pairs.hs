{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Evolution.Pairs
-- Description : Random pairs of schemas, against a naive translation of values
--
-- Old bytes are also read beside pages that cannot be accessed.
module Tests.Evolution.Pairs (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution (Advice (..), Mismatch (..), Suggestion (..))
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Plan
import Control.Monad (replicateM)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Char (isDigit, toLower)
import Data.Either (isLeft)
import Data.Int (Int64)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Evolution.Random
import Tests.Generate
import Tests.Memory (withinMemory)
import Tests.Pages

tests :: TestTree
tests =
  testGroup
    "random pairs of schemas"
    [ testProperty "old values, whole and in chunks" (forAll genEvolved values),
      testProperty "several values together, and damaged" (forAll genEvolved several),
      testProperty "fewer than no values together are none" (forAll genEvolved fewer),
      testProperty "simple fields in another order" (forAll genSimple simple),
      testProperty "truncated values are refused" (forAll genEvolved truncated),
      testProperty "damaged values" (forAll genEvolved damaged),
      testProperty "schemas that have nothing to do with each other" $
        forAll genSchema (\old -> forAll genSchema (strangers old)),
      testProperty "a record whose constructor has been retired since" $
        once (strangers (oneType Record [False]) (oneType Sum [True, False])),
      testProperty "small changes: what is written lies within its memory" (once written),
      testProperty "small changes: cut off beside a page" (once cutOff),
      testProperty "small changes: a count that no input has" (once noCounts),
      testProperty "fields in another order, wherever a buffer ends" (once reordered)
    ]

planOf :: Evolved -> Either String (Get Value)
planOf e =
  either (Left . show) Right $
    planned RefuseUnknown new (getValue (evolvedNew e)) (evolvedOld e)
  where
    new = Description (evolvedNew e) (evolvedEdits e)

withValue :: Evolved -> (Get Value -> Value -> B.ByteString -> Property) -> Property
withValue e f = case genValue (evolvedOld e) of
  Nothing -> discard
  Just gen -> forAll gen $ \v -> case planOf e of
    Left m -> counterexample m False
    Right g -> f g v (bytesOf v)

values :: Evolved -> Property
values e = withValue e $ \g v bytes ->
  let complete = runGetWhole g bytes
   in classify (isLeft complete) "refused" $
        counterexample (show (complete, naive e v)) $
          case (complete, naive e v) of
            (Right w, Just w') -> same (plainValue w) w'
            (Left _, Nothing) -> property True
            _ -> property False
            .&&. forAll (chunked bytes) (\chunks -> alike complete (inChunks g chunks))
            .&&. besidePages bytesOf g bytes

simple :: Evolved -> Property
simple e = values e .&&. several e

-- How many bytes each takes follows it.
several :: Evolved -> Property
several e = case (genValue (evolvedOld e), plannedMany RefuseUnknown new today follows old) of
  (Nothing, _) -> discard
  (_, Left m) -> counterexample (show m) False
  (Just gen, Right many) -> forAll (choose (0, 70) >>= (`vectorOf` gen)) $ \vs ->
    let n = length vs
        bytes = B.concat [B.append bs (B.singleton (taken bs)) | v <- vs, bs <- [bytesOf v]]
        single = either (error . show) id (planned RefuseUnknown new today old)
        one = do
          from <- bytesRead
          x <- single
          to <- bytesRead
          x <$ follows (fromIntegral (to - from))
        -- (One by one, an error is that of the first value that fails, and together that of the
        -- first that cannot be translated.)
        same' bs = case (runGetWhole (replicateM n one) bs, runGetWhole (many n) bs) of
          (Right xs, Right ys) -> conjoin (zipWith same xs ys) .&&. length ys === n
          (Left _, Left _) -> property True
          other -> counterexample (show other) False
     in same' bytes
          .&&. forAll (chunked bytes) (alikes (runGetWhole (many n) bytes) . inChunks (many n))
          .&&. forAll (choose (0, B.length bytes)) (\i -> same' (B.take i bytes))
          .&&. forAll (damage bytes) same'
          .&&. besidePages (B.concat . map bytesOf) (many n) bytes
  where
    old = evolvedOld e
    new = Description (evolvedNew e) (evolvedEdits e)
    today = getValue (evolvedNew e)
    taken bs = fromIntegral (B.length bs)
    alikes (Right xs) (Right ys) = conjoin (zipWith same xs ys)
    alikes (Left d) (Left e') = d === e'
    alikes a b = counterexample (show (a, b)) False
    follows :: Int -> Get ()
    follows k = getWord8 >>= \w -> if w == fromIntegral k then pure () else fail "another size"
    damage bytes = do
      i <- choose (0, max 0 (B.length bytes - 1))
      w <- choose (0, 255)
      pure (B.concat [B.take i bytes, B.singleton w, B.drop (i + 1) bytes])

fewer :: Evolved -> Property
fewer e = case plannedMany RefuseUnknown new (getValue (evolvedNew e)) mempty (evolvedOld e) of
  Left m -> counterexample (show m) False
  Right many -> forAll (choose (-100, 0)) $ \n -> runGetWhole (many n) "" === Right []
  where
    new = Description (evolvedNew e) (evolvedEdits e)

inChunks :: Get a -> L.ByteString -> Either DecodeError a
inChunks g = runGetLazyWhole (withBudget anySize g)

-- (Only streams have a limit otherwise.)
anySize :: Budget
anySize = defaultBudget {budgetBytes = Just maxBound}

-- (NaN is not itself.)
same :: Value -> Value -> Property
same a b = bytesOf a === bytesOf b

bytesOf :: Value -> B.ByteString
bytesOf = toStrictByteString . putValue

-- The result is the same where the input, or each of two chunks of it, begins or ends at a page
-- that cannot be accessed. (Compared while the memory is there.)
besidePages :: (a -> B.ByteString) -> Get a -> B.ByteString -> Property
besidePages toBytes g bytes =
  conjoin
    [ counterexample ("beside a page: " ++ show (edge, map B.length chunks)) . ioProperty $
        insidePages edge chunks ((== expected) . result)
      | edge <- [minBound ..],
        chunks <- [[bytes], [B.take half bytes, B.drop half bytes]]
    ]
  where
    half = B.length bytes `div` 2
    expected = toBytes <$> runGetWhole g bytes
    result chunks = fmap toBytes $ case chunks of
      [one] -> runGetWhole g one
      _ -> inChunks g (L.fromChunks chunks)

alike :: Either DecodeError Value -> Either DecodeError Value -> Property
alike a b = case (a, b) of
  (Right v, Right w) -> same v w
  (Left d, Left e) -> d === e
  _ -> counterexample (show (a, b)) False

chunked :: B.ByteString -> Gen L.ByteString
chunked bytes = do
  n <- choose (1, 9)
  pure (L.fromChunks (cut n bytes))
  where
    cut n bs
      | B.null bs = []
      | otherwise = let (a, b) = B.splitAt n bs in a : cut n b

truncated :: Evolved -> Property
truncated e = withValue e $ \g _ bytes ->
  conjoin
    [ case runGetWhole g (B.take n bytes) of
        Left err ->
          counterexample (show err) (errorOffset err <= fromIntegral n)
            .&&. besidePages bytesOf g (B.take n bytes)
        Right _ -> counterexample (show n) False
      | n <- [0 .. min 200 (B.length bytes - 1)]
    ]

-- What the decoder of the old schema refuses must be refused, unless it is in what is left out.
damaged :: Evolved -> Property
damaged e = withValue e $ \g _ bytes -> forAll (mutations bytes) $ \bytes' ->
  let found = runGetWhole g bytes'
   in case (runGetWhole (getValue (evolvedOld e)) bytes', found) of
        (Right v, _) -> case (naive e v, found) of
          (Just w, Right w') -> same w (plainValue w')
          (Nothing, Left _) -> property True
          _ -> counterexample (show (v, found)) False
        (Left _, Left err) ->
          counterexample (show err) (errorOffset err <= fromIntegral (B.length bytes'))
        (Left err, Right w) -> counterexample (show (err, w)) (evolvedDrops e)
        .&&. forAll (chunked bytes') (\chunks -> alike found (inChunks g chunks))
        .&&. besidePages bytesOf g bytes'

-- Whatever is planned ends, and gives a value of the new schema or an error of the old bytes.
strangers :: Schema -> Schema -> Property
strangers old new = case planned SkipUnknown description (getValue new) old of
  Left m ->
    classify True "refused" $
      counterexample (show m) (maybe True (compiles new) (mismatchAdvice m))
  Right g -> forAll (bytesFor old) $ \bytes ->
    case runGetWith small g bytes of
      Left e -> property (errorOffset e <= fromIntegral (B.length bytes))
      Right v ->
        let bytes' = bytesOf v
         in runGetWith small (bytesOf <$> getValue new) bytes' === Right bytes'
  where
    description = Description new (V.map (const []) (schemaDefinitions new))
    small = defaultBudget {budgetSteps = 10000, budgetDepth = 10000}

-- Its constructors have no fields, and may be retired.
oneType :: Form -> [Bool] -> Schema
oneType form retired =
  Schema (Reference 0) . V.singleton $
    Definition "T" form ByParts [Constructor name r [] | (name, r) <- zip ["C1", "C2"] retired]

-- Would the compiler accept what is to be written in the evolution of a type of this schema? As
-- "Ashlar.Schema.Internal.Change" has it.
compiles :: Schema -> Advice -> Bool
compiles new advice = case advice of
  AroundAll -> True
  InEvolutionOf t suggestions ->
    or
      [ all (accepted (definitionConstructors d)) suggestions
        | d <- V.toList (schemaDefinitions new),
          definitionName d == t
      ]
      && not (null suggestions)
  where
    accepted cs s = case s of
      SayAdded n -> n `elem` names cs
      SayConverted n -> n `elem` names cs
      SayDropped n -> n `notElem` names cs
      SayDroppedInstead n -> n `notElem` names cs
      SayRenamed n -> n `notElem` names cs
      SayDroppedConstructor n -> n `notElem` map constructorName cs
      SayRenamedConstructor n -> n `notElem` map constructorName cs
    names cs =
      concat
        [ T.concat [constructorName c, ".", n] : [n | length cs == 1 || not (T.all isDigit n)]
          | c <- cs,
            n <- map fieldName (constructorFields c)
        ]

bytesFor :: Schema -> Gen B.ByteString
bytesFor s = case genValue s of
  Nothing -> B.pack <$> arbitrary
  Just gen -> do
    bytes <- toStrictByteString . putValue <$> gen
    oneof [pure bytes, mutations bytes, B.pack <$> arbitrary]

-- Small records that change, and what translates their bytes. A letter is a field, and the same
-- letter in upper case is one of a wider type, or of a sum whose constructors have changed places.
smallChanges :: [(String, String, Get B.ByteString)]
smallChanges =
  [ (olds, news, translating p)
    | (olds, news) <-
        [ ("az", "naz"),
          ("a", "an"),
          ("az", "anz"),
          ("za", "az"),
          ("za", "a"),
          ("aw", "aW"),
          ("at", "aT"),
          ("ta", "Ta"),
          ("T", "nT"),
          ("zT", "Tz"),
          ("as", "aS"),
          ("as", "Sa")
        ],
      Just p <- [either (error . show) id (programOf olds news)]
  ]
  where
    programOf olds news =
      programBetween RefuseUnknown (schemaOf olds) . Description (schemaOf news) . V.fromList $
        ( [Added "n" (partOf 0 'n') | 'n' `elem` news]
            ++ [Dropped "z" | news == "a", olds == "za"]
        ) :
          [[] | 'S' `elem` news]

-- A buffer ends in each step, because a string of any length comes before it.
written :: Property
written =
  conjoin
    [ counterexample (show (olds, news, k)) . ioProperty $ do
        let bytes = either (error . show) id (runGetWhole g (wholeOf k olds))
        inside <- withinMemory bytes
        pure ((inside, bytes) === (True, wholeOf k news))
      | (olds, news, g) <- smallChanges,
        k <- [200 .. 280] ++ [980 .. 1040]
    ]

cutOff :: Property
cutOff =
  conjoin
    [ counterexample (show (olds, news, k, i)) $
        isLeft (runGetWhole g bytes) .&&. besidePages id g bytes
      | (olds, news, g) <- smallChanges,
        k <- [0 .. 9],
        let whole' = wholeOf k olds,
        i <- [0 .. B.length whole' - 1],
        let bytes = B.take i whole'
    ]

-- With counts that are no Int, times the size of an element.
noCounts :: Property
noCounts =
  conjoin
    [ counterexample (show (olds, n)) (isLeft (runGetWhole g (prefix <> encode n <> rest)))
      | (olds, _, g) <- smallChanges,
        (prefix, rest) <- case olds of
          "T" -> [("", ""), ("", B.replicate 100 0)]
          "zT" -> [("z", ""), ("z", B.replicate 100 0)]
          _ -> [],
        n <-
          [2 ^ (60 :: Int) + i | i <- [-2 .. 20]] ++ [2 ^ (61 :: Int) + i | i <- [-2 .. 20]]
            ++ [2 ^ (62 :: Int), maxBound, -1, minBound :: Int64]
    ]

-- Many small records. Where the buffer has little space left, there may be none for the table that
-- fields are put into order by.
reordered :: Property
reordered =
  conjoin
    [ counterexample (show k) $ runGetWhole (translating p) (many "zaw") === Right (many "awz")
      | Just p <- [either (error . show) id (programBetween RefuseUnknown (list "zaw") new)],
        k <- [0 .. 40],
        let many letters = encode (200 :: Int) <> B.concat (replicate 200 (wholeOf k letters))
    ]
  where
    new = Description (list "awz") (V.singleton [])
    list letters = (schemaOf letters) {schemaRoot = List Length64 (Reference 0)}

-- A record of these fields, and its bytes, given the length of strings.
schemaOf :: String -> Schema
schemaOf letters =
  Schema (Reference 0) . V.fromList $
    Definition "R" Record Unordered [Constructor "R" False (map fieldOf letters)] :
    [Definition "S" Sum Unordered [p, q] | 's' `elem` letters]
      ++ [Definition "S" Sum Unordered [q, p] | 'S' `elem` letters]
  where
    p = Constructor "P" False []
    q = Constructor "Q" False [Field "1" (Leaf (Number W8))]
    fieldOf c = Field (T.singleton (toLower c)) (shapeOf c)
    shapeOf c = case c of
      's' -> Reference 1
      'S' -> Reference 1
      'a' -> Leaf (Bytes Length64)
      't' -> List Length64 (Leaf (Number W32))
      'T' -> List Length64 (Leaf (Number W64))
      'W' -> Leaf (Number W16)
      _ -> Leaf (Number W8)

wholeOf :: Int -> String -> B.ByteString
wholeOf k = B.concat . map (partOf k)

partOf :: Int -> Char -> B.ByteString
partOf k c = case c of
  'a' -> encode (B.replicate k 1)
  't' -> encode [5, 6 :: Word32]
  'T' -> encode [5, 6 :: Word64]
  'W' -> encode (7 :: Word16)
  's' -> "\1\7"
  'S' -> "\0\7"
  _ -> encode (7 :: Word8)
