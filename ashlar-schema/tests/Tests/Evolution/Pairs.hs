-- |
-- Module      : Tests.Evolution.Pairs
-- Description : Random pairs of schemas, against a naive translation of values
module Tests.Evolution.Pairs (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Get
import Ashlar.Internal.Get.Core (here)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..))
import Ashlar.Schema.Internal.Evolution.Plan
import Control.Monad (replicateM)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import qualified Data.Vector as V
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Evolution.Random
import Tests.Generate

tests :: TestTree
tests =
  testGroup
    "random pairs of schemas"
    [ testProperty "values, whole and in chunks" (forAll genEvolved values),
      testProperty "several values together, and damaged" (forAll genEvolved several),
      testProperty "simple fields in another order" (forAll genSimple simple),
      testProperty "truncated" (forAll genEvolved truncated),
      testProperty "damaged" (forAll genEvolved damaged),
      testProperty "schemas that have nothing to do with each other" $
        forAll genSchema (\old -> forAll genSchema (strangers old))
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
    Right g -> f g v (toStrictByteString (putValue v))

values :: Evolved -> Property
values e = withValue e $ \g v bytes ->
  let complete = runGetWhole g bytes
   in classify (isLeft complete) "refused" $
        counterexample (show (complete, naive e v)) $
          case (complete, naive e v) of
            (Right w, Just w') -> same w w'
            (Left _, Nothing) -> property True
            _ -> property False
            .&&. forAll (chunked bytes) (\chunks -> alike complete (inChunks g chunks))

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
          from <- here
          x <- single
          to <- here
          x <$ follows (to - from)
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
  where
    old = evolvedOld e
    new = Description (evolvedNew e) (evolvedEdits e)
    today = getValue (evolvedNew e)
    bytesOf = toStrictByteString . putValue
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

inChunks :: Get a -> L.ByteString -> Either DecodeError a
inChunks g = runGetLazyWhole (withBudget anySize g)

-- (Only streams have a limit otherwise.)
anySize :: Budget
anySize = defaultBudget {budgetBytes = Just maxBound}

-- (NaN is not itself.)
same :: Value -> Value -> Property
same a b = toStrictByteString (putValue a) === toStrictByteString (putValue b)

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
        Left err -> counterexample (show err) (errorOffset err <= fromIntegral n)
        Right _ -> counterexample (show n) False
      | n <- [0 .. min 200 (B.length bytes - 1)]
    ]

-- What the decoder of the old schema refuses must be refused, unless it is in what is left out.
damaged :: Evolved -> Property
damaged e = withValue e $ \g _ bytes -> forAll (mutations bytes) $ \bytes' ->
  let found = runGetWhole g bytes'
   in case (runGetWhole (getValue (evolvedOld e)) bytes', found) of
        (Right v, _) -> case (naive e v, found) of
          (Just w, Right w') -> same w w'
          (Nothing, Left _) -> property True
          _ -> counterexample (show (v, found)) False
        (Left _, Left err) ->
          counterexample (show err) (errorOffset err <= fromIntegral (B.length bytes'))
        (Left err, Right w) -> counterexample (show (err, w)) (evolvedDrops e)
        .&&. forAll (chunked bytes') (\chunks -> alike found (inChunks g chunks))

-- Whatever is planned ends, and gives a value of the new schema or an error of the old bytes.
strangers :: Schema -> Schema -> Property
strangers old new = case planned SkipUnknown description (getValue new) old of
  Left m -> classify True "refused" (not (null (show m)))
  Right g -> forAll (bytesFor old) $ \bytes ->
    case runGetWith small g bytes of
      Left e -> property (errorOffset e <= fromIntegral (B.length bytes))
      Right v ->
        let written = toStrictByteString (putValue v)
            again' = toStrictByteString . putValue <$> getValue new
         in runGetWith small again' written === Right written
  where
    description = Description new (V.map (const []) (schemaDefinitions new))
    small = defaultBudget {budgetSteps = 10000, budgetDepth = 10000}

bytesFor :: Schema -> Gen B.ByteString
bytesFor s = case genValue s of
  Nothing -> B.pack <$> arbitrary
  Just gen -> do
    bytes <- toStrictByteString . putValue <$> gen
    oneof [pure bytes, mutations bytes, B.pack <$> arbitrary]
