{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Golden
-- Description : A file of bytes is compared value by value
module Golden (tests) where

import Ashlar.Builder (word8)
import Ashlar.Codec (Codec, HasFormat (..), byHand)
import Ashlar.Codec.Golden
import Ashlar.Get (getWord8)
import Data.List (isInfixOf)
import Data.Word (Word8)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "golden files"
    [ testProperty "the order of the values does not matter" $ \bytes flags ->
        forAll (shuffle bytes) $ \bytes' -> ioProperty $ do
          found <- compared [golden "Word8" bytes, golden "Bool" flags] (others bytes' flags)
          pure (found === []),
      testCase "a value that was added before others is the only mismatch" $ do
        found <- compared (others [1, 2] []) (others [3, 1, 2] [])
        found @?= ["Row \"Word8\" \"3\" \"03\" is not in FILE"],
      testCase "a value that was removed before others is the only mismatch" $ do
        found <- compared (others [3, 1, 2] []) (others [1, 2] [])
        found @?= ["Row \"Word8\" \"3\" \"03\" is in FILE alone"],
      testCase "bytes that have changed are decoded as the value that they were of" $ do
        found <- compared [golden "T" [Before 1, Before 2]] [golden "T" [After 2, After 1]]
        found
          @?= [ "Row \"T\" \"2\" \"03\" is not in FILE",
                "Row \"T\" \"1\" \"02\" is not in FILE",
                "Row \"T\" \"1\" \"01\" is in FILE alone",
                "Row \"T\" \"2\" \"02\" is in FILE alone",
                "02 is 1, not 2",
                "01 is 0, not 1"
              ],
      testCase "values that are shown alike are told apart by their bytes" $ do
        found <- compared [golden "Alike" [Alike 1, Alike 2]] [golden "Alike" [Alike 2, Alike 1]]
        found @?= [],
      testCase "bytes that do not decode to their value are found" $ do
        let values = [golden "OneWay" [OneWay 1, OneWay 2]]
        found <- compared values values
        found @?= ["01 is OneWay 0, not OneWay 1", "02 is OneWay 0, not OneWay 2"]
    ]
  where
    others :: [Word8] -> [Bool] -> [Golden]
    others bytes flags = [golden "Bool" flags, golden "Word8" bytes]

-- The mismatches of the second with a file of the first. The name of the file is left out.
compared :: [Golden] -> [Golden] -> IO [String]
compared written now = withSystemTempDirectory "ashlar-laws" $ \folder -> do
  let file = folder </> "golden"
      unnamed s
        | file `isInfixOf` s = unwords (map (\w -> if w == file then "FILE" else w) (words s))
        | otherwise = s
  writeGolden file written
  map unnamed <$> compareGolden file now

-- A format before and after a change.
newtype Before = Before Word8
  deriving newtype (Eq, Show, Codec)

newtype After = After Word8
  deriving newtype (Eq, Show)

instance Codec After

instance HasFormat After where
  format = byHand 1 (const 1) (\(After w) -> word8 (w + 1)) (After . subtract 1 <$> getWord8)

newtype Alike = Alike Word8
  deriving newtype (Eq, Codec)

instance Show Alike where
  show _ = "alike"

newtype OneWay = OneWay Word8
  deriving stock (Eq, Show)

instance Codec OneWay

instance HasFormat OneWay where
  format = byHand 1 (const 1) (\(OneWay w) -> word8 w) (OneWay 0 <$ getWord8)
