{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -ddump-simpl -ddump-to-file -dsuppress-all -dsuppress-uniques #-}

-- |
-- Module      : LiteralTable
-- Description : Literals whose code size the tests check
module LiteralTable
  ( table,
    greeting,
  )
where

import Ashlar.Builder

-- | Literals of all lengths and kinds, each on its own.
table :: [Builder]
table =
  [ "a",
    "ab",
    "abc",
    "abcd",
    "abcdefg",
    "abcdefgh",
    "abcdefghijklmno",
    "abcdefghijklmnop",
    "abcdefghijklmnopqrstuvwxyz12345",
    "abcdefghijklmnopqrstuvwxyz123456",
    "abcdefghijklmnopqrstuvwxyz1234567",
    "\228\8364",
    stringUtf8 "",
    stringUtf8 "a string",
    textUtf8 "a text",
    textUtf8 "\228\8364"
  ]

-- | A string with a name.
greeting :: String
greeting = "hello"
