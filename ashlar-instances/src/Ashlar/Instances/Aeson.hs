{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.Aeson
-- Description : Codec instances for JSON
module Ashlar.Instances.Aeson () where

import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Instances.Scientific ()
import Data.Aeson (Key, Value (..))
import qualified Data.Aeson.Key as Key
import Data.Aeson.KeyMap (KeyMap)
import qualified Data.Aeson.KeyMap as KeyMap

-- | The text.
instance Codec Key where
  layout = formatLayout key
  size = formatSize key
  put = formatPut key
  get = formatGet key

key :: Format Key
key = bijection Key.toText Key.fromText codec
{-# INLINE key #-}

-- | As a 'Data.Map.Map': by ascending key.
instance Codec v => Codec (KeyMap v) where
  layout = formatLayout keyMap
  size = formatSize keyMap
  put = formatPut keyMap
  get = formatGet keyMap

keyMap :: Codec v => Format (KeyMap v)
keyMap = bijection KeyMap.toMap KeyMap.fromMap codec
{-# INLINE keyMap #-}

-- | A tag: 0 for null, 1 for a truth value, 2 for a number, 3 for a string, 4 for an
-- array, 5 for an object; and what belongs to it.
instance Codec Value where
  layout = formatLayout value
  size = formatSize value
  put = formatPut value
  get = formatGet value

value :: Format Value
value =
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
{-# INLINE value #-}
