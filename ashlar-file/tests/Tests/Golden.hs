{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Golden
-- Description : The bytes of some files
--
-- The files in @tests/golden@ are hexadecimal, 16 bytes in a line. They were written by the first
-- version. Whoever changes one breaks the files of users.
module Tests.Golden (tests) where

import Ashlar.Codec (Codec, get)
import Ashlar.File
import Control.Monad (unless)
import qualified Data.ByteString as S
import Data.Char (isSpace)
import qualified Data.Text as T
import Data.Word (Word16)
import Numeric (readHex, showHex)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "golden files"
    [ golden "empty" (fixedType "number" :: RecordType Word16) plain [],
      golden "numbers" (fixedType "number") plain [1, 2, 258 :: Word16],
      golden "texts" (fixedType "text") plain ["brick", "", "m\246rtel" :: T.Text],
      golden "blocks" (fixedType "text") small ["brick", "mortar", "sand" :: T.Text],
      golden "units" (fixedType "unit") plain [(), ()],
      testProperty "changed" . once . ioProperty . inFile $ \path -> do
        withWriter plain (fixedType "text") path (`writeMany` ["brick" :: T.Text])
        withAppender plain changed path (`writeMany` ["2"])
        compared "changed" changed path ["brick", "2"]
    ]
  where
    plain = defaultWriteOptions {writeMarker = Just 0x8877665544332211}
    small = plain {writeBlockSize = 10}
    changed :: RecordType T.Text
    changed = (fixedType "text, version 2") {typeEvolved = \_ _ -> Right (evolvedBy get)}

golden :: (Codec a, Eq a, Show a) => String -> RecordType a -> WriteOptions -> [a] -> TestTree
golden name ty options xs = testProperty name . once . ioProperty . inFile $ \path -> do
  withWriter options ty path (`writeMany` xs)
  compared name ty path xs

-- The bytes of a file, and what is read from the old bytes.
compared :: (Codec a, Eq a, Show a) => String -> RecordType a -> FilePath -> [a] -> IO Property
compared name ty path xs = do
  bytes <- S.readFile path
  let file = "tests" </> "golden" </> (name ++ ".txt")
  there <- doesFileExist file
  unless there $ do
    createDirectoryIfMissing True "tests/golden"
    writeFile file (dump bytes)
  old <- fromHex <$> readFile file
  got <- withBytesIn old (readAll defaultReadOptions ty)
  pure $
    conjoin
      [ counterexample (file ++ " was missing, and has been written") there,
        dump bytes === dump old,
        got === Ended (fromIntegral (length xs)) xs
      ]

dump :: S.ByteString -> String
dump bytes
  | S.null bytes = ""
  | otherwise = unwords (map byte (S.unpack row)) ++ "\n" ++ dump rest
  where
    (row, rest) = S.splitAt 16 bytes
    byte w = (if w < 16 then "0" else "") ++ showHex w ""

fromHex :: String -> S.ByteString
fromHex text = S.pack (pairs (filter (not . isSpace) text))
  where
    pairs (a : b : rest) = fst (head' (readHex [a, b])) : pairs rest
    pairs _ = []
    head' (x : _) = x
    head' [] = error "not hexadecimal"
