{-# LANGUAGE CApiFFI #-}

-- |
-- Module      : OneInput
-- Description : The targets, and one case of any of them for libFuzzer
--
-- The first two bytes of an input choose the target, the third one how its decoder is run, and the
-- others are its input. @oss-fuzz/build.sh@ links this with libFuzzer, whose program has no @main@
-- of ours.
module OneInput (allTargets) where

import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Foreign
import Foreign.C (CString, peekCString)
import Search
import System.IO (hPutStrLn, stderr)
import Tests.Fuzz.Getters
import Tests.Fuzz.Instances
import Tests.Fuzz.Target

foreign export ccall "fuzz_one" fuzzOne :: Ptr Word8 -> Int -> IO Bool

foreign export ccall "fuzz_seeds" fuzzSeeds :: CString -> IO ()

-- | Every decoder of the library, and every instance.
allTargets :: [Target]
allTargets = instances ++ getters

-- Does everything hold for this input? It is alive only meanwhile.
fuzzOne :: Ptr Word8 -> Int -> IO Bool
fuzzOne p n = do
  input <- S.unsafePackCStringLen (castPtr p, n)
  case S.unpack (S.take 3 input) of
    [low, high, seed] -> do
      let i = (fromIntegral low .|. fromIntegral high `shiftL` 8) `mod` length allTargets
          target' = allTargets !! i
      problem <- outcome defaultOptions target' (fromIntegral seed) (S.drop 3 input)
      forM_ problem $ \what -> hPutStrLn stderr (targetName target' ++ ": " ++ what)
      pure (null problem)
    _ -> pure True

-- Write the inputs that each target begins with to files of a folder.
fuzzSeeds :: CString -> IO ()
fuzzSeeds path = do
  folder <- peekCString path
  forM_ (zip [0 :: Int ..] allTargets) $ \(i, target') ->
    forM_ (zip [0 :: Int ..] (targetSeeds target')) $ \(k, bs) -> do
      let start' = map fromIntegral [i, i `shiftR` 8, 0]
      S.writeFile (folder ++ "/" ++ show i ++ "-" ++ show k) (S.pack start' <> bs)
