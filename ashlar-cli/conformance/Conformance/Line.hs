{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Conformance.Line
-- Description : Records of any schema, as lines of JSON
module Conformance.Line
  ( Line (..),
    anyRecords,
  )
where

import Ashlar.Codec (Codec, HasFormat (format), decode, summarizeError)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.Schema (getJsonLine)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import GHC.Fingerprint (Fingerprint (..))

-- | A record as its schema says, as JSON.
newtype Line = Line ByteString
  deriving stock (Show)

instance Codec Line

-- Nothing is written, and no record has today's format.
instance HasFormat Line where
  format = byHand 1 (const 0) (const mempty) (fail "a fingerprint that no schema has")

-- | Each record by its own schema.
anyRecords :: RecordType Line
anyRecords =
  RecordType
    { typeSchema = B.empty,
      typeFingerprint = Fingerprint 0 0,
      typeEvolved = \bytes _ -> case decode bytes of
        Right s -> Right (evolvedBy (Line <$> getJsonLine s))
        Left e -> Left ("no schema that can be read: " ++ summarizeError e),
      typePass = Nothing
    }
