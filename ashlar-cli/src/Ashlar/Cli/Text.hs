{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Text
-- Description : Values for people
--
-- Values as Haskell has them, in one line. Strings are escaped as in JSON, so that a terminal is
-- safe. Bytes are in hexadecimal.
module Ashlar.Cli.Text
  ( textOf,
  )
where

import Ashlar.Builder
import Ashlar.Schema
import Ashlar.Schema.Internal.Json.Values (isPositional)
import Ashlar.Schema.Internal.Scalar
import qualified Data.Vector as V

-- | A value, in one line.
textOf :: Value -> Builder
textOf value = case value of
  Whole l n -> case l of
    FixedPoint units
      | Just b <- decimal n (toInteger units) -> b
      | otherwise -> fraction n (toInteger units)
    Date | Just b <- date n -> b
    Duration | Just b <- decimal n 1000000000000 -> b <> char7 's'
    _ -> wholeNumber n
  Fraction _ n d -> fraction n d
  Binary32 _ x -> floatDec x
  Binary64 _ x -> doubleDec x
  Truth b -> if b then "True" else "False"
  Letter _ c -> char7 '\'' <> quotedInside c <> char7 '\''
  Written _ t -> quoted t
  Blob _ bs -> "0x" <> hexadecimal bs
  Raw bs -> "0x" <> hexadecimal bs
  InPacked x -> textOf x
  InPlain x -> textOf x
  Perhaps Nothing -> "Nothing"
  Perhaps (Just x) -> "Just " <> argument x
  Several xs -> char7 '(' <> listed textOf xs <> char7 ')'
  Elements _ xs -> char7 '[' <> listed textOf xs <> char7 ']'
  Entries _ xs -> char7 '{' <> listed (\(k, x) -> textOf k <> ": " <> textOf x) xs <> char7 '}'
  Indexed low high xs ->
    "array (" <> textOf low <> ", " <> textOf high <> ") [" <> listed textOf xs <> char7 ']'
  Fields c xs -> constructor c xs
  Tagged _ _ c xs -> constructor c xs
  where
    fraction n d = wholeNumber n <> " % " <> wholeNumber d

quotedInside :: Char -> Builder
quotedInside c = case c of
  '\'' -> "\\'"
  '"' -> char7 '"'
  _ -> escaped c

constructor :: Constructor -> V.Vector Value -> Builder
constructor c xs
  | V.null xs = name (constructorName c)
  | isPositional c = name (constructorName c) <> foldMap (\x -> char7 ' ' <> argument x) xs
  | otherwise =
    name (constructorName c) <> " {"
      <> commas ", " (zipWith field (constructorFields c) (V.toList xs))
      <> char7 '}'
  where
    field f x = name (fieldName f) <> " = " <> textOf x

listed :: (a -> Builder) -> V.Vector a -> Builder
listed write xs = commas ", " (map write (V.toList xs))

-- A value where one word is expected.
argument :: Value -> Builder
argument x
  | isCompound x = char7 '(' <> textOf x <> char7 ')'
  | otherwise = textOf x

isCompound :: Value -> Bool
isCompound value = case value of
  Whole l n -> n < 0 || isFixed l
  Fraction {} -> True
  Binary32 _ x -> isSigned x
  Binary64 _ x -> isSigned x
  Perhaps (Just _) -> True
  InPacked x -> isCompound x
  InPlain x -> isCompound x
  Indexed {} -> True
  Fields c xs -> isPositional c && not (V.null xs)
  Tagged _ _ c xs -> isPositional c && not (V.null xs)
  _ -> False
  where
    isFixed l = case l of
      FixedPoint units -> null (decimal 0 (toInteger units))
      _ -> False
    isSigned x = x < 0 || isNegativeZero x
