{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Evolution.Schemas
-- Description : Small schemas, and decoders from one to another
module Tests.Evolution.Schemas
  ( record,
    enumeration,
    defined,
    inside,
    text,
    planBetween,
    made,
    encoded,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Plan
import qualified Data.ByteString as B
import Data.Text (Text)
import qualified Data.Vector as V

-- | A record with these fields.
record :: [Field] -> Schema
record fields = defined [Definition "R" Record Unordered [Constructor "R" False fields]]

-- | A sum of constructors without fields.
enumeration :: [Text] -> Schema
enumeration names = defined [Definition "E" Sum Unordered [Constructor n False [] | n <- names]]

-- | The schema of some definitions. The first one is the root.
defined :: [Definition] -> Schema
defined ds = Schema (Reference 0) (V.fromList ds)

-- | Change the root.
inside :: (Shape -> Shape) -> Schema -> Schema
inside f s = s {schemaRoot = f (schemaRoot s)}

-- | The decoder of old values, given what is said of each type today.
planBetween :: Schema -> Schema -> [Edit] -> Either Mismatch (Get Value)
planBetween old new edits = planned RefuseUnknown (Description new said) (getValue new) old
  where
    said = V.map (const edits) (schemaDefinitions new)

-- | A text.
text :: Text -> Field
text name = Field name (Leaf (Utf8 Length64))

-- | The bytes of a value.
encoded :: Value -> B.ByteString
encoded = toStrictByteString . putValue

-- | What must be there.
made :: Either Mismatch g -> g
made = either (error . show) id
