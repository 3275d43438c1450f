{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Competitors.Flatparse
-- Description : flatparse
module Competitors.Flatparse (competitors) where

import Control.Applicative ((<|>))
import Data.ByteString (ByteString)
import Data.Char (isAsciiLower, isAsciiUpper)
import qualified FlatParse.Basic as F
import Workload
import Workloads.Parse (sexps)

-- | Work of workloads, by their names.
competitors :: [(String, (String, IO ()))]
competitors = [("s-expression", ("flatparse", apply parsed sexps))]

parsed :: ByteString -> ()
parsed bs = case F.runParser sexp bs of
  F.OK () _ -> ()
  _ -> errorWithoutStackTrace "the benchmark's own data do not parse"

sexp, open, close, identifier, blank :: F.Parser () ()
sexp = (open *> F.skipSome sexp <* close) <|> identifier
open = F.byteString "(" *> blank
close = F.byteString ")" *> blank
identifier = F.skipSome (F.skipSatisfyAscii letter) *> blank
blank = F.skipMany (F.skipSatisfyAscii (\c -> c == ' ' || c == '\n'))

letter :: Char -> Bool
letter c = isAsciiLower c || isAsciiUpper c
