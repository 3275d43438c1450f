{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Fuzz.Regression
-- Description : Files of inputs that were findings once
--
-- A file has four lines: the name of the target, what was wrong, the number that chooses the ways
-- to run the decoder, and the bytes in hexadecimal.
module Tests.Fuzz.Regression
  ( Regression (..),
    writeRegression,
    readRegression,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Builder.Hex (byteStringHex)
import Ashlar.Get.Hex (decodeHex)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Char (isAlphaNum, toLower)
import qualified Data.List as List
import Data.Word (Word64)
import Numeric (showHex)

-- | A finding.
data Regression = Regression
  { regressionTarget :: String,
    regressionProblem :: String,
    regressionSeed :: Word64,
    regressionInput :: S.ByteString
  }
  deriving stock (Eq, Show)

-- | Write it into the folder. The name of the file is that of the target, and a hash.
writeRegression :: FilePath -> Regression -> IO ()
writeRegression folder (Regression name problem seed bs) =
  writeFile (folder ++ "/" ++ file) . unlines $
    [name, "  " ++ problem, "  " ++ show seed, "  " ++ hex]
  where
    file = map plain name ++ "-" ++ showHex (hash hex `mod` 0x1000000) ".txt"
    plain c = if isAlphaNum c then toLower c else '-'
    hex = C.unpack (toStrictByteString (byteStringHex bs))
    hash = List.foldl' (\h c -> h * 31 + fromIntegral (fromEnum c)) (7 :: Word64)

-- | Nothing if it is no such file.
readRegression :: FilePath -> IO (Maybe Regression)
readRegression file = do
  text <- readFile file
  pure $ case map (dropWhile (== ' ')) (lines text) of
    [name, problem, seed, hex]
      | [(n, "")] <- reads seed,
        Right bs <- decodeHex (C.pack hex) ->
        Just (Regression name problem n bs)
    _ -> Nothing
