{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Tests.LiteralSamples
-- Description : Strings, and the code in which each is a literal
module Tests.LiteralSamples
  ( samples,
    Uses (..),
    uses,
  )
where

import Ashlar.Builder
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Language.Haskell.TH (Exp, Q, listE, litE, stringL)

-- | Strings of the lengths around those at which the code changes, and with every character that
-- is special in a literal.
samples :: [String]
samples =
  map ascii ([0 .. 34] ++ [63, 64, 65, 224, 225, 256, 257, 5000]) ++ others ++ map among others
  where
    ascii n = take n (cycle ['\x01' .. '\x7F'])
    among s = ascii 40 ++ s ++ ascii 30 ++ s
    others =
      [ "\0",
        "\0\0",
        "a\0",
        "\0a",
        "\x80",
        "\x7FF",
        "\x800",
        "\xD000",
        "\xD7FF",
        "\xD800",
        "\xDFFF",
        "\xD800\xDC00",
        "\xE000",
        "\xFFFD",
        "\xFFFF",
        "\x10000",
        "\x10FFFF",
        "\xC0\x80\xED\xA0",
        "\0\xD800\0\xDBFF"
      ]

-- | The ways to use a literal.
data Uses = Uses
  { -- | By 'Data.String.fromString'.
    alone :: Builder,
    -- | With 'stringUtf8'.
    called :: Builder,
    -- | Between two bytes.
    between :: Word8 -> Builder,
    -- | Twice, before another builder.
    doubled :: Builder -> Builder,
    -- | Before another string.
    before :: String -> Builder,
    -- | As a text.
    strict :: Word8 -> Builder,
    -- | As a lazy text.
    lazily :: Word8 -> Builder
  }

-- | All these uses, for each sample in order.
uses :: Q Exp
uses = listE (map (usesOf . litE . stringL) samples)

usesOf :: Q Exp -> Q Exp
usesOf l =
  [|
    Uses
      { alone = $l,
        called = stringUtf8 $l,
        between = \x -> word8 x <> $l <> word8 x,
        doubled = \b -> $l <> ($l <> b),
        before = \s -> stringUtf8 ($l ++ s),
        strict = \x -> word8 x <> textUtf8 $l <> textUtf8 (T.pack $l),
        lazily = \x -> word8 x <> lazyTextUtf8 $l <> lazyTextUtf8 (TL.pack $l)
      }
    |]
