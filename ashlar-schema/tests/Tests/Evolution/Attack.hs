{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Evolution.Attack
-- Description : Old schemas that somebody made to do harm
module Tests.Evolution.Attack (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode, get)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Plan
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import Data.Either (fromLeft, isLeft, isRight)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Evolution.Random

tests :: TestTree
tests =
  testGroup
    "hostile schemas"
    [ testProperty "sizes whose sum is no Int" sizes,
      testProperty "random schemas with unknown fields" (forAll genEvolved unknown),
      testProperty "bytes that are copied take no steps" copied,
      testGroup
        "planning takes linear time and memory"
        [ testCase "many fields of a type with many fields" manyFields,
          testCase "a record that is referred to often" often,
          testCase "defaults that double" doubling,
          testCase "many conversions that do not fit" misfitting,
          testCase "many unknown fields among those that move" moving,
          testCase "many packed fields that are left out" manyPacked
        ]
    ]

record :: Text -> [Field] -> Definition
record name fields = Definition name Record Unordered [Constructor name False fields]

-- The first one is the root.
defined :: [Definition] -> Schema
defined ds = Schema (Reference 0) (V.fromList ds)

planWith :: Unknown -> [Edit] -> Schema -> Schema -> Either String (Get Value)
planWith how edits old new =
  either (Left . show) Right (planned how (Description new said) (getValue new) old)
  where
    said = V.map (const edits) (schemaDefinitions new)

decoded :: Either String (Get Value) -> B.ByteString -> Either DecodeError Value
decoded g = runGetWhole (either error id g)

bytesOf :: Int -> Shape
bytesOf n = Opaque "bytes" 1 (Just n)

-- Eight fields of 2^61 bytes and more between those of a byte. In all they are 2^64, and some.
sizes :: Property
sizes = forAll (choose (0, 80)) $ \more ->
  let names = map T.singleton ['a' .. 'p']
      byte name = Field name (Leaf (Number W8))
      large = replicate 8 (maxBound `quot` 4) ++ repeat more
      old =
        defined
          [ record "R" $
              concat
                [[Field (T.append name "2") (bytesOf n), byte name] | (name, n) <- zip names large]
          ]
      new = defined [record "R" (map byte names)]
      drops = [Dropped (T.append name "2") | name <- names]
      refused g = let r = decoded g (B.replicate 800 7) in counterexample (show r) (isLeft r)
   in refused (planWith SkipUnknown [] old new) .&&. refused (planWith RefuseUnknown drops old new)

-- Before and after a field with a default, as a block of one program or as a step of its own.
copied :: Property
copied =
  forAll (choose (0, 100000)) $ \n -> forAll arbitrary $ \first ->
    conjoin
      [ counterexample name (isRight (runGetWith none (either error id (g first shape)) bytes))
        | (name, shape, bytes) <-
            [ ("constant size", bytesOf n, B.replicate n 1),
              ("a length of eight bytes", Leaf (Bytes Length64), encode (B.replicate n 1)),
              ("a list", List Length64 (Leaf (Number W8)), encode (B.replicate n 1)),
              ("a magnitude", Leaf BigInteger, encode (2 ^ (8 * n) :: Integer)),
              ( "what may be missing",
                List Length64 (Optional (bytesOf n)),
                encode (1 :: Int) <> "\1" <> B.replicate n 1
              )
            ]
      ]
  where
    g first shape =
      planWith
        RefuseUnknown
        [Added "n" "\7"]
        (defined [record "T" [Field "a" shape]])
        (defined [record "T" ((if first then reverse else id) [Field "a" shape, gained])])
    gained = Field "n" (Leaf (Number W8))
    none = defaultBudget {budgetSteps = 0}

-- What is too short for the old schema must be too short for a decoder of the new one.
unknown :: Evolved -> Property
unknown e =
  forAll (V.mapM hostile (schemaDefinitions (evolvedOld e))) $ \ds ->
    let old = (evolvedOld e) {schemaDefinitions = ds}
        new = Description (evolvedNew e) (evolvedEdits e)
     in counterexample (T.unpack (describeSchema old)) $
          checkSchema old === Right old
            .&&. case planned SkipUnknown new (getValue (evolvedNew e)) old of
              Left m -> classify True "refused" (not (null (show m)))
              Right g -> forAll (B.pack <$> arbitrary) (decodes old g)
  where
    decodes old g bytes =
      case (runGetWith small (getValue old) bytes, runGetWith small g bytes) of
        (Left err, Right v)
          | MissingInput _ _ <- errorReason err -> counterexample (show (err, v)) False
        (_, Right v) -> property (B.length (toStrictByteString (putValue v)) >= 0)
        (_, Left err) ->
          counterexample (show err) (errorOffset err <= fromIntegral (B.length bytes))
    small = defaultBudget {budgetSteps = 10000, budgetDepth = 10000}

-- With fields of any size in some of its constructors.
hostile :: Definition -> Gen Definition
hostile d
  | definitionForm d == Newtype = pure d
  | otherwise = do
    cs <- mapM constructor (definitionConstructors d)
    pure d {definitionConstructors = cs}
  where
    constructor c
      | constructorRetired c = pure c
      | otherwise = do
        n <- frequency [(3, pure 0), (1, elements [1, 8, 9 :: Int])]
        new <- mapM field [1 .. n]
        fields <- mixed (constructorFields c) new
        pure c {constructorFields = fields}
    field i = do
      shape <-
        frequency
          [ (4, bytesOf <$> elements [maxBound, maxBound `quot` 4, maxBound `quot` 4 - 8, 0, 1]),
            (1, pure (Leaf Unit)),
            (1, pure (List LengthVarint (Leaf Unit))),
            (1, pure (List LengthVarint (bytesOf (maxBound `quot` 2)))),
            (1, pure (Tuple [bytesOf maxBound, Leaf BigInteger, bytesOf maxBound]))
          ]
      pure (Field (T.pack ("hostile" ++ show i)) shape)
    mixed olds news = case (olds, news) of
      (o : os, n : ns) -> do
        first <- arbitrary
        if first then (o :) <$> mixed os news else (n :) <$> mixed olds ns
      _ -> pure (olds ++ news)

-- (Without sharing, 10^10 steps. With it, less than a second.)
manyFields :: Assertion
manyFields = do
  found <- timeout 20000000 (evaluate (isLeft (decoded g "")))
  found @?= Just True
  where
    g =
      planWith
        RefuseUnknown
        [Dropped "x"]
        ( defined
            [ record "P" [Field "x" (Reference 1)],
              record "A" (numbered (Reference 2)),
              record "B" (numbered (Leaf (Bytes Length64)))
            ]
        )
        (defined [record "P" []])
    numbered shape = [Field (T.pack (show i)) shape | i <- [1 .. 100000 :: Int]]

-- The steps to pass over the record are not repeated for each reference.
often :: Assertion
often = do
  n <- allocatedBy (planWith RefuseUnknown [Dropped "x"] old (defined [record "P" []]))
  assertBool (show n) (n < 1000000000)
  where
    old =
      defined
        [ record "P" [Field "x" (Reference 1)],
          record "A" (numbered 100000 (Reference 2)),
          record "B" (numbered 30 (Leaf (Bytes Length64)))
        ]
    numbered m shape = [Field (T.pack (show i)) shape | i <- [1 .. m :: Int]]

-- Each is two of the next one, and the last one has its fields by default.
doubling :: Assertion
doubling = do
  n <- allocatedBy g
  assertBool (show n) (n < 400000000)
  case decoded g "" of
    Left (DecodeError {errorReason = OverBudget _}) -> pure ()
    other -> assertFailure (take 200 (show other))
  where
    g =
      planWith
        RefuseUnknown
        [Added "l" (encode (Nothing :: Maybe Word8)), Added "r" (encode (Nothing :: Maybe Word8))]
        ( defined $
            [record "T" [Field "l" (Reference i), Field "r" (Reference i)] | i <- [1 .. 60]]
              ++ [record "T" []]
        )
        (defined [record "T" [Field "l" maybeTree, Field "r" maybeTree]])
    maybeTree = Optional (Reference 0)

allocatedBy :: Either String (Get Value) -> IO Int64
allocatedBy g = do
  setAllocationCounter 0
  _ <- evaluate (isLeft (decoded g ""))
  negate <$> getAllocationCounter

-- Ten times as many take ten times as much.
moving :: Assertion
moving = do
  a <- allocatedBy (g 2000)
  b <- allocatedBy (g 20000)
  assertBool (show (a, b)) (b < 20 * a)
  where
    g n = planWith SkipUnknown [] (old n) (defined [record "T" [field "a", field "b"]])
    old n = defined [record "T" ([field "b"] ++ map unknownField [1 .. n] ++ [field "a"])]
    unknownField i = field (T.pack (show (i :: Int)))
    field name = Field name (Leaf (Number W8))

-- Each has a decoder of its own, for which all definitions are looked at. Too many are refused.
manyPacked :: Assertion
manyPacked = do
  setAllocationCounter 0
  fromLeft "planned" (g 4000) @?= "T.3896: the schemas are too large to be compared"
  n <- negate <$> getAllocationCounter
  assertBool (show n) (n < 2000000000)
  isRight (g 100) @?= True
  where
    g n = planWith SkipUnknown [] (old n) (defined [record "T" []])
    old n = defined (record "T" (map field [1 .. n]) : map (record "J" . next n) [1 .. n :: Int])
    field i = Field (T.pack (show i)) (Packed (Tuple [bytesOf i, Optional (Reference 1)]))
    next n i = [Field "j" (Optional (Reference (if i == n then 1 else i + 1)))]

-- Only the last of 5,000 fits. What was tried in vain counts, and no more than that.
misfitting :: Assertion
misfitting = do
  let field shape = defined [record "R" [Field "x" shape]]
      conversion shape = Converted "x" (Description (Schema shape V.empty) V.empty)
      edits = replicate 5000 (conversion (Leaf Boolean) (pure B.empty)) ++ [conversion int toWord]
      int = Leaf (Number I64)
      toWord = encode . (fromIntegral :: Int64 -> Word8) <$> get
      planned' = planWith RefuseUnknown edits (field int) (field (Leaf (Number W8)))
  g <- either assertFailure pure planned'
  fmap putBytes (decoded (Right g) (encode (7 :: Int64))) @?= Right (encode (7 :: Word8))
  where
    putBytes = toStrictByteString . putValue
