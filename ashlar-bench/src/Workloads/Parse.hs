{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Parse
-- Description : The benchmarks of flatparse
--
-- The same inputs, grammars and combinators for both libraries.
module Workloads.Parse (parseWorkloads, sexps) where

import qualified Ashlar.Get as A
import qualified Ashlar.Get.Parse as P
import Control.Applicative ((<|>))
import Data.Attoparsec.ByteString (Parser)
import qualified Data.Attoparsec.ByteString as T
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Word (Word8)
import Input (right)
import Workload

-- | All of them.
parseWorkloads :: [Workload]
parseWorkloads =
  [ bytesOfText (S.length text) $ same name [("ashlar", ours g), ("attoparsec", theirs p)] text
    | (name, g, p, text) <-
        [ ("s-expression", sexp, sexpT, sexps),
          ("long keyword", keywords, keywordsT, S.concat (replicate 55555 "thisisalongkeyword   ")),
          ("five keywords", commands, commandsT, S.concat (replicate 20000 fiveKeywords)),
          ("numeral csv", numerals, numeralsT, csv),
          ("lambda term", lambda, lambdaT, terms)
        ]
  ]
    ++ [ bytesOfText (S.length sexps) $
           same
             "s-expression, by the next byte"
             [("ashlar", ours decided), ("attoparsec", theirs sexpT)]
             sexps
       ]
  where
    ours g = right . A.runGet g
    theirs p = right . T.parseOnly p
    fiveKeywords = "quit incr delete set get "
    csv = S.concat ("0" : [C.pack (",  " ++ show n) | n <- [1 .. 100000 :: Int]])
    terms = S.concat (replicate 20000 "(\\ foo . foo (bar (\\ x . x foo)) baz) ")

-- | The input of the first.
sexps :: S.ByteString
sexps = S.concat ("(" : replicate 33333 "(foo (foo (foo ((bar baza)))))" ++ [")"])
{-# NOINLINE sexps #-}

letter, space, digit :: Word8 -> Bool
letter w = w - 97 < 26 || w - 65 < 26
space w = w == 32 || w == 10
digit w = w - 48 < 10

-- * S-expressions

sexp, decided :: A.Get ()
sexp = (open *> P.skipMany1 sexp <* close) <|> identifier
decided = P.switch identifier (\w -> if w == 40 then open *> inner <* close else identifier)
  where
    inner = decided *> P.skipManyWhile (/= 41) decided

open, close, identifier, blank :: A.Get ()
open = P.word8 40 *> blank
close = P.word8 41 *> blank
identifier = P.skipWhile1 letter *> blank
blank = P.skipWhile space

sexpT, openT, closeT, identifierT, blankT :: Parser ()
sexpT = (openT *> T.skipMany1 sexpT <* closeT) <|> identifierT
openT = T.word8 40 *> blankT
closeT = T.word8 41 *> blankT
identifierT = T.skip letter *> T.skipWhile letter *> blankT
blankT = T.skipWhile space

-- * Keywords and numerals

keywords, commands, numerals :: A.Get ()
commands = P.skipMany1 one <* A.endOfInput
  where
    one =
      P.bytes "get " <|> P.bytes "set " <|> P.bytes "delete " <|> P.bytes "incr "
        <|> P.bytes "quit "
keywords = P.skipMany1 (P.bytes "thisisalongkeyword" *> blank) <* A.endOfInput
numerals = numeral *> P.skipMany1 (P.word8 44 *> blank *> numeral) <* A.endOfInput
  where
    numeral = P.skipWhile1 digit *> blank

keywordsT, commandsT, numeralsT :: Parser ()
commandsT = T.skipMany1 one <* T.endOfInput
  where
    one =
      T.string "get " <|> T.string "set " <|> T.string "delete " <|> T.string "incr "
        <|> T.string "quit "
keywordsT = T.skipMany1 (T.string "thisisalongkeyword" *> blankT) <* T.endOfInput
numeralsT = numeral *> T.skipMany1 (T.word8 44 *> blankT *> numeral) <* T.endOfInput
  where
    numeral = T.skip digit *> T.skipWhile digit *> blankT

-- * Terms of the lambda calculus: abstractions, applications, variables and parentheses

lambda, term, atom :: A.Get ()
lambda = blank *> term <* A.endOfInput
term = abstraction <|> P.skipMany1 atom
  where
    abstraction = P.word8 92 *> blank *> identifier *> P.word8 46 *> blank *> term
atom = identifier <|> (open *> term <* close)

lambdaT, termT, atomT :: Parser ()
lambdaT = blankT *> termT <* T.endOfInput
termT = abstraction <|> T.skipMany1 atomT
  where
    abstraction = T.word8 92 *> blankT *> identifierT *> T.word8 46 *> blankT *> termT
atomT = identifierT <|> (openT *> termT <* closeT)
