-- |
-- Module      : Rows.Differences
-- Description : What the rows leave out, in both libraries
--
-- @docs\/porting.md@ lists these differences. "Tests.GetBinary" and "Tests.GetCereal" of the suite
-- @spec@ show the others.
module Rows.Differences (tests) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Prim as AP
import qualified Ashlar.Compat.Binary.Get as AB
import qualified Ashlar.Compat.Cereal.Get as AG
import Control.Exception
import qualified Data.Binary.Get as BB
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Either (isLeft)
import qualified Data.Serialize.Get as BG
import Samples (Boom (..))
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "differences"
    [ testCase "an exception within a list, to a Handle" withinList,
      testCase "binary: a decoder that reads nothing" nothingRead,
      testCase "cereal: an empty chunk of lazy input" emptyChunk,
      testCase "cereal: negative numbers that overflow" overflow,
      testCase "cereal: what is left after long reads that fail" longReads,
      testCase "cereal: what is left after a look-ahead that fails" failedLookAhead,
      testCase "cereal: isolate of more than there is" shortIsolate
    ]

withinList :: Assertion
withinList = do
  mine <- written (\h -> A.hPutBuilder h (A.word8 1 <> AP.primMapListFixed AP.word8 list))
  mine @?= S.pack [1]
  his <- written (\h -> B.hPutBuilder h (B.word8 1 <> BP.primMapListFixed BP.word8 list))
  his @?= S.empty
  where
    list = [2, 3, throw Boom]
    written :: (Handle -> IO ()) -> IO S.ByteString
    written write = do
      dir <- getTemporaryDirectory
      (path, h) <- openBinaryTempFile dir "ashlar"
      r <- try (write h)
      either (\Boom -> pure ()) (\() -> assertFailure "no exception") r
      hClose h
      S.readFile path <* removeFile path

nothingRead :: Assertion
nothingRead = do
  mine <- try (evaluate (isLeft (AB.runGetOrFail (fail "no" :: AB.Get ()) (throw Boom))))
  his <- try (evaluate (isLeft (BB.runGetOrFail (fail "no" :: BB.Get ()) (throw Boom))))
  either show show (mine :: Either Boom Bool) @?= "Boom"
  either show show (his :: Either Boom Bool) @?= "True"

emptyChunk :: Assertion
emptyChunk = do
  let input = L.Chunk (S.pack [1]) (L.Chunk S.empty (L.Chunk (S.pack [2]) L.Empty))
  AG.runGetLazy AG.getWord16be input @?= Right 258
  assertBool "cereal's fails" (isLeft (BG.runGetLazy BG.getWord16be input))

overflow :: Assertion
overflow = do
  AG.runGet (AG.skip minBound) (S.pack [1]) @?= Right ()
  assertBool "cereal's skip" (isLeft (BG.runGet (BG.skip minBound) (S.pack [1])))
  AG.runGet (AG.ensure minBound) (S.pack [1]) @?= Right (S.pack [1])
  assertBool "cereal's ensure" (isLeft (BG.runGet (BG.ensure minBound) (S.pack [1])))

-- | What is left in the failures of both, when the input ends after two chunks.
fed :: AG.Get a -> BG.Get b -> (Maybe S.ByteString, Maybe S.ByteString)
fed f g = (mine (AG.runGetPartial f (S.pack [1])), his (BG.runGetPartial g (S.pack [1])))
  where
    mine d = case d of
      AG.Partial k -> case k (S.pack [2]) of
        AG.Partial end | AG.Fail _ left <- end S.empty -> Just left
        _ -> Nothing
      _ -> Nothing
    his d = case d of
      BG.Partial k -> case k (S.pack [2]) of
        BG.Partial end | BG.Fail _ left <- end S.empty -> Just left
        _ -> Nothing
      _ -> Nothing

longReads :: Assertion
longReads = do
  fed (AG.skip 5) (BG.skip 5) @?= (Just S.empty, Just (S.pack [1, 2]))
  fed (AG.getLazyByteString 5) (BG.getLazyByteString 5) @?= (Just S.empty, Just (S.pack [1, 2]))

failedLookAhead :: Assertion
failedLookAhead =
  fed (AG.lookAhead AG.getWord32be) (BG.lookAhead BG.getWord32be)
    @?= (Just (S.pack [1, 2]), Just (S.pack [1]))

shortIsolate :: Assertion
shortIsolate =
  fed (AG.isolate 5 AG.getWord16be) (BG.isolate 5 BG.getWord16be)
    @?= (Just S.empty, Just (S.pack [1, 2]))
