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
        [ "89 41 53 48 4d 53 47 0a 01 00 01 00 2b c8 04 f8",
          "90 6c d4 06 60 56 5d 41 ed dd 81 86 06 00 00 00",
          "6e 75 6d 62 65 72 35 59 9f c6 00 00 00 00 02 00",
          "00 00 01 00 3e 44 04 9f 02 00 00 00 02 01 a4 6f",
          "88 59 ff ff ff ff"
        ],
      golden
        "numbers without checksums"
        False
        number
        [1, 258]
        [ "89 41 53 48 4d 53 47 0a 01 00 00 00 2b c8 04 f8",
          "90 6c d4 06 60 56 5d 41 ed dd 81 86 06 00 00 00",
          "6e 75 6d 62 65 72 01 d2 8a 64 00 00 00 00 02 00",
          "00 00 01 00 02 00 00 00 02 01 ff ff ff ff"
        ],
      golden
        "texts"
        False
        (fixedType "number")
        ["brick" :: Text]
        [ "89 41 53 48 4d 53 47 0a 01 00 00 00 2b c8 04 f8",
          "90 6c d4 06 60 56 5d 41 ed dd 81 86 06 00 00 00",
          "6e 75 6d 62 65 72 01 d2 8a 64 00 00 00 00 0d 00",
          "00 00 05 00 00 00 00 00 00 00 62 72 69 63 6b ff",
          "ff ff ff"
        ]
    ]

golden :: Codec a => String -> Bool -> RecordType a -> [a] -> [String] -> TestTree
golden name checksums ty xs expected = testProperty name . once . ioProperty $ do
  bytes <- recorded defaultOptions {optionsChecksums = checksums} ty (\c -> mapM_ (send c) xs)
  pure (rows (S.unpack bytes) === expected)
  where
    rows [] = []
    rows ws = unwords (map byte (take 16 ws)) : rows (drop 16 ws)
    byte w = (if w < 16 then "0" else "") ++ showHex w ""
