-- |
-- Module      : Tests.CodecRun
-- Description : Functions that run codecs: files, rests, many values, budgets
module Tests.CodecRun (tests) where

import Ashlar.Codec
import Ashlar.Get
  ( foldFrom,
    getByteString,
    getNested,
    getRemainingByteString,
    getWord8,
    isolate,
    runGet,
    skip,
  )
import Ashlar.Get.Stream (Stream (..), runGetStream)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Time.Calendar (Day (..))
import Data.Time.Clock (UTCTime (..))
import Data.Word (Word16, Word8)
import System.IO (IOMode (..), withBinaryFile)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty, (===))
import Tests.Files

tests :: TestTree
tests =
  testGroup
    "Running Codec"
    [ testProperty "a value and the bytes after it" $ \n ws ->
        decodeRest (encode (n :: Word16) <> S.pack ws) === Right (n, S.pack ws),
      testCase "encodeFile, decodeFile" files,
      testCase "budgets" budgets,
      testCase "values that read nothing, one after another" nothingRead,
      testCase "isolate: missing bytes, and bytes left over" isolated,
      testCase "a record names its type" typeNamed
    ]

files :: Assertion
files = inTemporaryFile $ \path -> do
  encodeFile path [1, 2, 3 :: Word16]
  decodeFile path >>= (@?= Right [1, 2, 3 :: Word16])
  encodeFile path (7 :: Word8)
  S.readFile path >>= (@?= S.pack [7])
  (decodeFile path :: IO (Either DecodeError ()))
    >>= (@?= Left TrailingInput) . either (Left . errorReason) Right

budgets :: Assertion
budgets = inTemporaryFile $ \path -> do
  encodeFile path [(), (), ()]
  withBinaryFile path ReadMode (hDecodeWith enough) >>= (@?= Right [(), (), ()])
  withBinaryFile path ReadMode (hDecodeWith few)
    >>= assertBool "more than the budget" . isLeft . units
  decodeFileWith enough path >>= (@?= Right [(), (), ()])
  decodeFileWith few path >>= assertBool "more than the budget, of a file" . isLeft . units
  -- Each value of a source has the whole budget.
  bs <- S.readFile path
  source <- once (bs <> bs)
  decodeFromWith enough source >>= (@?= Right [(), (), ()])
  decodeFromWith enough source >>= (@?= Right [(), (), ()])
  source' <- once bs
  decodeFromWith few source' >>= assertBool "more than the budget, of a source" . isLeft . units
  where
    enough = defaultBudget {budgetSteps = 3}
    few = defaultBudget {budgetSteps = 2}
    units :: Either DecodeError [()] -> Either DecodeError [()]
    units = id

-- A source of one chunk.
once :: S.ByteString -> IO Source
once bs = do
  chunks <- newIORef [bs]
  newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))

nothingRead :: Assertion
nothingRead = do
  source <- once (S.pack [1])
  folded <- foldFrom source (pure 'x') (\n _ -> pure (n + 1)) (0 :: Int)
  either errorReason (error . show) folded @?= reason
  case runGetStream (pure 'x') (L.pack [1]) of
    Broken e -> errorReason e @?= reason
    stream -> assertFailure (show stream)
  runGetStream (pure 'x') L.empty @?= End
  where
    reason = Invalid "a value that reads nothing, of which there is no end"

isolated :: Assertion
isolated = do
  found (isolate 5 getRemainingByteString) @?= Left (3, MissingInput 2 0)
  found (isolate 2 (pure S.empty)) @?= Left (0, Invalid "isolate: 2 of 2 bytes were not read")
  -- Cut off is not malformed, wherever the decoder stops.
  found (isolate 100 (S.singleton <$> getWord8)) @?= Left (1, MissingInput 99 2)
  found (isolate 3 (isolate 4 (S.singleton <$> getWord8))) @?= Left (1, MissingInput 3 2)
  -- The limit of an enclosing isolate counts too.
  found (isolate 2 (isolate 3 getRemainingByteString)) @?= Left (2, MissingInput 1 0)
  -- Input that is shorter than its length is an error where it begins, as for a byte string.
  found (getNested (5 <$ skip 1) getRemainingByteString) @?= Left (1, MissingInput 5 2)
  found (skip 1 *> getByteString 5) @?= Left (1, MissingInput 5 2)
  found (isolate 2 (getNested (2 <$ skip 1) getRemainingByteString)) @?= Left (1, MissingInput 2 1)
  found (getNested (2 <$ skip 1) (S.empty <$ skip 1))
    @?= Left (2, Invalid "isolate: 1 of 2 bytes were not read")
  -- If the inner decoder fails, its own error is reported.
  found (getNested (5 <$ skip 1) (skip 1 *> getByteString 4)) @?= Left (2, MissingInput 4 1)
  where
    found g = either (\e -> Left (errorOffset e, errorReason e)) Right (runGet g (S.pack [1, 2, 3]))

typeNamed :: Assertion
typeNamed =
  either errorLabels (error . show) (decode (encode late) :: Either DecodeError UTCTime)
    @?= ["UTCTime.utctDayTime"]
  where
    late = UTCTime (ModifiedJulianDay 0) 90000
