-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Said
-- Description : What a type's evolution says of one of its constructors
module Ashlar.Schema.Internal.Evolution.Said
  ( Said (..),
    saidOf,
    isEditable,
    Conversion,
    Conversions (..),
    conversionsOf,
    first',
  )
where

import Ashlar.Codec (Get)
import Ashlar.Schema.Internal.Edit
import Ashlar.Schema.Internal.Types
import Data.ByteString (ByteString)
import Data.Char (isDigit)
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import qualified Data.Text as T

-- | What is said of the fields of a constructor.
data Said = Said
  { -- | The type, and whether advice may name its evolution.
    saidType :: Text,
    saidIsEditable :: Bool,
    -- | The names are those of fields alone. Edits that named the constructor, too, come first.
    saidEdits :: [Edit],
    -- | The name in the evolution of a field that the constructor has.
    saidNow :: Text -> Text,
    -- | The name in the evolution of a field that the constructor has no more.
    saidBefore :: Text -> Text
  }

-- | What is said of the fields of a constructor, given its definition and the edits of that.
saidOf :: Definition -> [Edit] -> Constructor -> Said
saidOf d edits c =
  Said
    { saidType = definitionName d,
      saidIsEditable = isEditable edits,
      saidEdits = map (named own) precise ++ general,
      saidNow = \f -> if moreThanOne && isPosition f then full f else f,
      saidBefore = \f -> if moreThanOne && (isPosition f || elsewhere f) then full f else f
    }
  where
    (precise, general) = partitioned edits
    partitioned es = ([e | e <- es, isPrecise e], [e | e <- es, not (isPrecise e)])
    prefix = T.snoc (constructorName c) '.'
    full = T.append prefix
    own t = fromMaybe t (T.stripPrefix prefix t)
    moreThanOne = length (definitionConstructors d) > 1
    isPosition f = not (T.null f) && T.all isDigit f
    elsewhere f =
      or
        [ fieldName x == f
          | other <- definitionConstructors d,
            constructorName other /= constructorName c,
            x <- constructorFields other
        ]
    isPrecise e = any (isJust . T.stripPrefix prefix) (fieldNames e)
    fieldNames e = case e of
      Added n _ -> [n]
      Renamed a b -> [a, b]
      Dropped n -> [n]
      Converted n _ _ -> [n]
      _ -> []
    named f e = case e of
      Added n bs -> Added (f n) bs
      Renamed a b -> Renamed (f a) (f b)
      Dropped n -> Dropped (f n)
      Converted n old g -> Converted (f n) old g
      _ -> e

-- | May advice name the evolution of a definition?
isEditable :: [Edit] -> Bool
isEditable edits = and [False | NotEditable <- edits]

-- | A type that a field had, and what makes the bytes of today's value.
type Conversion = (Description, Get ByteString)

-- | The name of a field in the evolution, and its conversions.
data Conversions = Conversions Text [Conversion]

-- | The conversions of a field.
conversionsOf :: Said -> Text -> Conversions
conversionsOf said name =
  Conversions (saidNow said name) [(d, g) | Converted f d g <- saidEdits said, f == name]

-- | A map with the first value of each key.
first' :: Ord k => [(k, v)] -> M.Map k v
first' = M.fromListWith (\_ v -> v)
