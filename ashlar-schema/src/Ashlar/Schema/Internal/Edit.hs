-- |
-- Module      : Ashlar.Schema.Internal.Edit
-- Description : What is known of a type
module Ashlar.Schema.Internal.Edit
  ( Description (..),
    Change (..),
    Edit (..),
  )
where

import Ashlar.Codec (Get)
import Ashlar.Schema.Internal.Schema
import Data.ByteString (ByteString)
import Data.Text (Text)
import qualified Data.Vector as V

-- | What is known of a type: its schema, and what is said of the evolution of each definition.
data Description = Description
  { descriptionSchema :: Schema,
    -- | As many as definitions.
    descriptionEdits :: V.Vector [Edit]
  }

-- | How a type differs from what it was.
newtype Change a = Change Edit

-- | A 'Change' without the type. Names are those of fields and constructors. The name of a field
-- may begin with its constructor and a point.
data Edit
  = -- | A field that old values lack, and the bytes of its default.
    Added Text ByteString
  | -- | The old and the new name of a field.
    Renamed Text Text
  | -- | A field that the type no longer has.
    Dropped Text
  | -- | A field that had another type: the description of that type, and a decoder of its bytes (in
    -- the format that it has now) that returns the bytes of the new type.
    Converted Text Description (Get ByteString)
  | -- | The old and the new name of a constructor.
    RenamedConstructor Text Text
  | -- | A constructor that the type no longer has.
    DroppedConstructor Text
  | -- | The constructor for values whose own constructor the type does not have.
    UnknownConstructors Text
  | -- | No advice may name the evolution of the definition, because it is not derived, or its
    -- instance is one of this library.
    NotEditable
