-- |
-- Module      : Rows.Differences
-- Description : What the rows leave out, in both libraries
--
-- @docs\/porting.md@ lists these differences. "Tests.GetBinary" and "Tests.GetCereal" of the suite
-- @spec@ show the others.
module Rows.Differences (tests) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as AE
import qualified Ashlar.Builder.Prim as AP
import qualified Ashlar.Compat.Binary.Get as AB
import qualified Ashlar.Compat.Cereal.Get as AG
import Control.Applicative ((<|>))
import Control.Exception
import qualified Data.Binary.Get as BB
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as BE
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy as L (empty, toChunks)
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Either (isLeft)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (isJust)
import qualified Data.Serialize.Get as BG
import Samples (Boom (..))
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Error (ioeGetFileName, ioeGetLocation)
import System.IO.Unsafe (unsafePerformIO)
import System.Process (createPipe)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "differences"
    [ testCase "an exception within a list, to a Handle" withinList,
      testCase "the location in an IOException of hPutBuilder" locations,
      testCase "an IOException that a value throws within hPutBuilder" valueThrows,
      testCase "hClose after hPutBuilder has failed" closedAfterFailure,
      testCase "what is evaluated before anything reaches a Handle" evaluatedBefore,
      testCase "lazy output with buffers of less than 8 bytes" smallBuffers,
      testCase "binary: a decoder that reads nothing" nothingRead,
      testCase "cereal: an empty chunk of lazy input" emptyChunk,
      testCase "cereal: negative numbers that overflow" overflow,
      testCase "cereal: what is left after a skip that fails" longSkip,
      testCase "cereal: what is left after a look-ahead that fails" failedLookAhead,
      testCase "cereal: isolate of more than there is" shortIsolate,
      testCase "cereal: an alternative after the end" afterEnd
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
  mine <- forced (isLeft (AB.runGetOrFail (fail "no" :: AB.Get ()) (throw Boom)))
  mine @?= "Boom"
  his <- forced (isLeft (BB.runGetOrFail (fail "no" :: BB.Get ()) (throw Boom)))
  his @?= "True"
  forced (AB.runGet (pure 'x') (throw Boom)) >>= (@?= "Boom")
  forced (BB.runGet (pure 'x') (throw Boom)) >>= (@?= "'x'")
  where
    forced :: Show a => a -> IO String
    forced x = either (\e -> show (e :: Boom)) show <$> try (evaluate x)

-- A Handle of a pipe that nobody reads.
unreadPipe :: IO Handle
unreadPipe = do
  (r, w) <- createPipe
  w <$ hClose r

locations :: Assertion
locations = do
  located (\h -> A.hPutBuilder h (A.byteStringHex large)) >>= (@?= "hPutBuf")
  located (\h -> hClose h >> A.hPutBuilder h mempty) >>= (@?= "Ashlar.Builder.hPutBuilder")
  located (\h -> B.hPutBuilder h (B.byteStringHex large)) >>= (@?= "hPut")
  where
    large = S.replicate 100000 1
    located write =
      unreadPipe >>= try . write
        >>= either (pure . ioeGetLocation) (\() -> assertFailure "no exception")

valueThrows :: Assertion
valueThrows = do
  named (\h -> A.hPutBuilder h (A.word8 1 <> A.word8 value)) >>= (@?= False)
  named (\h -> B.hPutBuilder h (B.word8 1 <> B.word8 value)) >>= (@?= True)
  where
    value = throw (userError "a value")
    named write = do
      h <- unreadPipe
      try (write h)
        >>= either (pure . isJust . ioeGetFileName) (\() -> assertFailure "no exception")

closedAfterFailure :: Assertion
closedAfterFailure = do
  closes 100 (\h -> A.hPutBuilder h . A.byteStringHex) >>= (@?= False)
  closes 10000 (\h -> A.hPutBuilder h . A.byteStringHex) >>= (@?= True)
  closes 10000 (\h -> B.hPutBuilder h . B.byteStringHex) >>= (@?= False)
  where
    closes n write = do
      h <- unreadPipe
      _ <- failing (write h (S.replicate n 1) >> hFlush h)
      not <$> failing (hClose h)

-- Does an action throw an exception of input or output?
failing :: IO () -> IO Bool
failing act = either thrown (\() -> False) <$> try act
  where
    thrown :: IOException -> Bool
    thrown _ = True

evaluatedBefore :: Assertion
evaluatedBefore = do
  mine <- evaluated (\f h -> A.hPutBuilder h (foldMap (A.word64LE . f) [1 .. 100000]))
  assertBool (show mine) (mine >= 4096 && mine <= 4096 + 64)
  his <- evaluated (\f h -> B.hPutBuilder h (foldMap (B.word64LE . f) [1 .. 100000]))
  assertBool (show his) (his >= 1024 && his <= 1024 + 64)
  where
    -- How many values have been evaluated when the first bytes are refused.
    evaluated write = do
      n <- newIORef (0 :: Int)
      h <- unreadPipe
      hSetBuffering h NoBuffering
      _ <- failing (write (\i -> unsafePerformIO (i <$ modifyIORef' n (+ 1))) h)
      _ <- failing (hClose h)
      readIORef n

smallBuffers :: Assertion
smallBuffers = do
  chunks (AE.toLazyByteStringWith (AE.safeStrategy 0 0) L.empty (A.string7 "abcdefghijkl"))
    @?= replicate 12 1
  chunks (BE.toLazyByteStringWith (BE.safeStrategy 0 0) L.empty (B.string7 "abcdefghijkl"))
    @?= [8, 4]
  where
    chunks = map S.length . L.toChunks

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

longSkip :: Assertion
longSkip = do
  fed (AG.skip 5) (BG.skip 5) @?= (Just S.empty, Just (S.pack [1, 2]))
  fed (AG.getLazyByteString 5) (BG.getLazyByteString 5)
    @?= (Just (S.pack [1, 2]), Just (S.pack [1, 2]))

failedLookAhead :: Assertion
failedLookAhead =
  fed (AG.lookAhead AG.getWord32be) (BG.lookAhead BG.getWord32be)
    @?= (Just (S.pack [1, 2]), Just (S.pack [1]))

shortIsolate :: Assertion
shortIsolate =
  fed (AG.isolate 5 AG.getWord16be) (BG.isolate 5 BG.getWord16be)
    @?= (Just S.empty, Just (S.pack [1, 2]))

-- After the first alternative has failed for want of input, the second needs some, too.
afterEnd :: Assertion
afterEnd = do
  mine (AG.runGetPartial (AG.getWord32be <|> (1 <$ AG.getWord16be)) (S.pack [1])) @?= Nothing
  his (BG.runGetPartial (BG.getWord32be <|> (1 <$ BG.getWord16be)) (S.pack [1])) @?= Just 1
  where
    mine d = case d of
      AG.Partial k | AG.Partial more <- k S.empty, AG.Done x _ <- more (S.pack [2]) -> Just x
      _ -> Nothing
    his d = case d of
      BG.Partial k | BG.Partial more <- k S.empty, BG.Done x _ <- more (S.pack [2]) -> Just x
      _ -> Nothing
