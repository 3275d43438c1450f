{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Golden
-- Description : The bytes of some connections
--
-- Whoever changes them breaks programs that are not updated at the same time.
module Tests.Golden (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Network.Messages
import qualified Data.ByteString as S
import Data.Text (Text)
import Numeric (showHex)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Ends

tests :: TestTree
tests =
  testGroup
    "golden bytes"
    [ golden
        "numbers with checksums"
        True
        number
        [1, 258]
        [],
      golden
        "numbers without checksums"
        False
        number
        [1, 258]
        [],
      golden
        "texts"
        False
        (fixedType "number")
        ["brick" :: Text]
        []
    ]

golden :: Codec a => String -> Bool -> RecordType a -> [a] -> [String] -> TestTree
golden name checksums ty xs expected = testProperty name . once . ioProperty $ do
  bytes <- recorded defaultOptions {optionsChecksums = checksums} ty (\c -> mapM_ (send c) xs)
  pure (rows (S.unpack bytes) === expected)
  where
    rows [] = []
    rows ws = unwords (map byte (take 16 ws)) : rows (drop 16 ws)
    byte w = (if w < 16 then "0" else "") ++ showHex w ""
