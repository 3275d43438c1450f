-- |
-- Module      : Main
-- Description : Lazy output and decoding, under every garbage collector
--
-- For a number of seconds, values that are suspended are forced, interrupted and forced again, and
-- compared with the bytes that they must have. @scripts/soak@ runs it under each collector of GHC.
--
-- > soak SECONDS
module Main (main) where

import Ashlar.Builder
import Ashlar.Builder.Section (lengthPrefixed)
import Ashlar.Codec (decodeLazy, encodeLazy)
import Ashlar.Get
import qualified Ashlar.Prim.Varint as P
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Word (Word64)
import GHC.Clock (getMonotonicTime)
import System.Environment (getArgs)
import System.Exit
import System.IO
import System.Timeout (timeout)

main :: IO ()
main = do
  args <- getArgs
  let seconds = case args of
        [s] -> read s
        _ -> 10
  end <- (+ seconds) <$> getMonotonicTime
  counts <- forM checks $ \(name, _) -> (,) name <$> newIORef (0 :: Int)
  let go seed = do
        now <- getMonotonicTime
        when (now < end) $ do
          forM_ (zip checks counts) $ \((name, check), (_, count)) -> do
            good <- check seed
            unless good $ do
              hPutStrLn stderr ("WRONG: " ++ name ++ ", seed " ++ show seed)
              exitWith (ExitFailure 1)
            modifyIORef' count (+ 1)
          go (next seed)
  go 1
  forM_ counts $ \(name, count) -> readIORef count >>= \n -> putStrLn (name ++ ": " ++ show n)

next :: Word64 -> Word64
next s = s * 6364136223846793005 + 1442695040888963407

-- Microseconds up to which a value is forced.
moments :: Word64 -> [Int]
moments seed = map (\s -> fromIntegral (s `div` 65536 `mod` 200)) (take 8 (iterate next seed))

-- From a seed: does everything have its bytes?
checks :: [(String, Word64 -> IO Bool)]
checks =
  [ ("lazy output, interrupted", \s -> interrupted s (output s) (hasBytes s)),
    ("lazy output in lazy output, interrupted", \s -> interrupted s (nested s) (hasBytes s)),
    ("lazy output, by two threads", \s -> byTwo s (output s) (hasBytes s)),
    ("lazy output, masked", \s -> masked s (output s) (hasBytes s)),
    ("lazy decoding, interrupted", \s -> interrupted s (decoded s) (hasNumbers s)),
    ("lazy decoding, by two threads", \s -> byTwo s (decoded s) (hasNumbers s)),
    ("lazy decoding, masked", \s -> masked s (decoded s) (hasNumbers s)),
    ("pushed decoding, interrupted", pushed),
    ("a codec, lazy both ways, interrupted", \s -> interrupted s (coded s) (hasNumbers s))
  ]

size :: Int
size = 3000

numbersFrom :: Word64 -> [Word64]
numbersFrom seed = take size (iterate next seed)
{-# NOINLINE numbersFrom #-}

-- By base and bytestring alone.
expected :: Word64 -> S.ByteString
expected seed = S.pack (concatMap bytes (numbersFrom seed))
  where
    bytes w = [fromIntegral (w `div` 256 ^ k) | k <- [0 .. 7 :: Int]]
{-# NOINLINE expected #-}

hasBytes :: Word64 -> L.ByteString -> Bool
hasBytes seed l = L.toStrict l == expected seed

hasNumbers :: Word64 -> Either DecodeError [Word64] -> Bool
hasNumbers seed = either (const False) (== numbersFrom seed)

builder :: Word64 -> Builder
builder seed = foldMap word64LE (numbersFrom seed)
{-# NOINLINE builder #-}

output :: Word64 -> L.ByteString
output seed = toLazyByteString (builder seed)
{-# NOINLINE output #-}

-- The chunks come from other suspended builders, of which one begins inside another's section.
nested :: Word64 -> L.ByteString
nested seed = L.drop prefix (toLazyByteString (section (lazyByteString (output seed))))
  where
    section = lengthPrefixed (P.varintPrim P.word64Varint)
    -- 24,000 as a varint.
    prefix = 3
{-# NOINLINE nested #-}

-- The input is suspended, too, and comes in small chunks.
decoded :: Word64 -> Either DecodeError [Word64]
decoded seed = runGetLazy (replicateM size getWord64le) (L.fromChunks (inChunks (output seed)))
{-# NOINLINE decoded #-}

inChunks :: L.ByteString -> [S.ByteString]
inChunks l = case L.splitAt 100 l of
  (a, b)
    | L.null a -> []
    | otherwise -> L.toStrict a : inChunks b

coded :: Word64 -> Either DecodeError [Word64]
coded seed = decodeLazy (encodeLazy (numbersFrom seed))
{-# NOINLINE coded #-}

-- Push mode, where each state of the decoder is a value that is interrupted.
pushed :: Word64 -> IO Bool
pushed seed = do
  let states = scanl pushChunk start (inChunks (output seed))
      start = runGetIncremental (replicateM size getWord64le)
      ended = case pushEndOfInput (last states) of
        Done _ _ xs -> xs == numbersFrom seed
        _ -> False
  interrupted seed states ((`seq` ended) . length . filter isPartial)
  where
    isPartial d = case d of
      Partial _ -> True
      _ -> False

-- The value is forced for a while, several times, and then to its end.
interrupted :: Word64 -> a -> (a -> Bool) -> IO Bool
interrupted seed x good = do
  forM_ (moments seed) $ \t -> timeout t (evaluate (good x))
  evaluate (good x)

byTwo :: Word64 -> a -> (a -> Bool) -> IO Bool
byTwo seed x good = do
  answers <- replicateM 2 $ do
    answer <- newEmptyMVar
    let forced unmask = try (unmask (evaluate (good x))) >>= putMVar answer
    thread <- mask_ (forkIOWithUnmask (\unmask -> forced unmask))
    pure (thread, answer)
  -- One of them may be killed on its way. The other must not notice.
  case answers of
    (thread, _) : _ | even (seed `div` 65536) -> yield >> killThread thread
    _ -> pure ()
  results <- forM answers (takeMVar . snd)
  let fine r = case r of
        Right b -> b
        Left ThreadKilled -> even (seed `div` 65536)
        Left _ -> False
  final <- evaluate (good x)
  pure (final && all fine results)

masked :: Word64 -> a -> (a -> Bool) -> IO Bool
masked seed x good = do
  forM_ (moments seed) $ \t -> timeout t (mask_ (evaluate (good x)))
  mask_ (evaluate (good x))
