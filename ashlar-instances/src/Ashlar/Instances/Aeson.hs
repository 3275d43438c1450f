{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.Aeson
-- Description : instances for JSON
module Ashlar.Instances.Aeson () where

import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Instances.Scientific ()
import Ashlar.Schema (Described (..), as, caseOf, part, variantOf)
import Data.Aeson (Key, Value (..))
import qualified Data.Aeson.Key as Key
import Data.Aeson.KeyMap (KeyMap)
import qualified Data.Aeson.KeyMap as KeyMap
import Data.Map (Map)
import Data.Scientific (Scientific)
import Data.Text (Text)
import Data.Vector (Vector)

-- | Its text.
instance Codec Key

instance HasFormat Key where
  format = bijection Key.toText Key.fromText codec
  {-# INLINE format #-}

instance Described Key where
  describe = as @Text

-- | As a 'Data.Map.Map', in ascending order of keys.
instance Codec v => Codec (KeyMap v)

instance Codec v => HasFormat (KeyMap v) where
  format = bijection KeyMap.toMap KeyMap.fromMap codec
  {-# INLINE format #-}

instance Described v => Described (KeyMap v) where
  describe = as @(Map Text v)

-- | A tag, then the value: 0 for null, 1 for a Boolean, 2 for a number, 3 for a string, 4 for an
-- array, 5 for an object.
instance Codec Value

instance HasFormat Value where
  format =
    variant "Value" decide $
      constructor "Null" Null $
        alternative "Bool" Bool codec $
          alternative "Number" Number codec $
            alternative "String" String codec $
              alternative "Array" Array codec $
                alternative "Object" Object codec end
    where
      decide null' bool number string array object v = case v of
        Null -> null'
        Bool b -> bool b
        Number n -> number n
        String s -> string s
        Array vs -> array vs
        Object o -> object o
  {-# INLINE format #-}

instance Described Value where
  describe =
    variantOf
      "Value"
      [ caseOf "Null" [],
        caseOf "Bool" [part @Bool ""],
        caseOf "Number" [part @Scientific ""],
        caseOf "String" [part @Text ""],
        caseOf "Array" [part @(Vector Value) ""],
        caseOf "Object" [part @(KeyMap Value) ""]
      ]
