{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema.Internal.ByHand
-- Description : Descriptions of formats that are not derived
module Ashlar.Schema.Internal.ByHand
  ( opaque,
    unnamedShape,
    as,
    wrapper,
    whole,
    exactly,
    packed,
    recordOf,
    variantOf,
    part,
    partBy,
    caseOf,
    retiredCase,
  )
where

import Ashlar.Codec (Codec, encode, layout, leastSize)
import Ashlar.Codec.Combinators (Layout (..))
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Types
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Typeable (Typeable, typeRep)

-- | A format that a schema does not describe: its name, and a version, to be increased when the
-- format changes. If its values take a constant number of bytes, the schema says how many. These
-- are the bytes of the plain format: inside of a packed type it must be the type of an
-- 'Ashlar.Codec.Packed.Unpacked' field, or the schema describes other bytes than are there.
opaque :: forall a. Codec a => Text -> Int -> Describe a
opaque name version = plainly (opaqueShape @a name version)

-- | The shape of 'opaque'.
opaqueShape :: forall a. Codec a => Text -> Int -> Shape
opaqueShape name version = Opaque name version $ case layout :: Layout a of
  l@(Fix _) -> Just (leastSize l)
  Var _ -> Nothing

-- | The opaque shape that has the name of the type.
unnamedShape :: forall a. (Codec a, Typeable a) => Shape
unnamedShape = opaqueShape @a (typeName (typeRep (Proxy :: Proxy a))) 0

-- | A newtype with the bytes of another type.
wrapper :: forall b a. (Described a, Described b) => Text -> Describe a
wrapper name = definition (Parts name Newtype [Case name False [part @b mempty]])

-- | The description of another type, which has the same bytes:
--
-- > instance Described Email where describe = as @Text
as :: forall b a. Described b => Describe a
as = shaped id (describe @b)

-- | A whole number between two bounds, both included, in the format of another type. Decoding must
-- refuse all others. The bounds have no effect if the other type does not stand for whole numbers.
--
-- > instance Described Port where describe = whole @Word16 1024 65535
whole :: forall b a. Described b => Integer -> Integer -> Describe a
whole low high = shaped between (describe @b)
  where
    between s = case s of
      Leaf l | isWhole l, low <= high -> Between low high l
      Unpacked inner -> Unpacked (between inner)
      _ -> s

-- | A description of the packed format of a type, given that of the plain one. A type whose 'Codec'
-- is derived by 'Ashlar.Codec.Packed.Packed' needs it:
--
-- > instance Described Report where describe = packed derivedDescription
packed :: Describe a -> Describe a
packed = shaped Packed

-- | Always the bytes of this value, as by 'Ashlar.Codec.Combinators.constant'.
exactly :: Codec b => b -> Describe a
exactly x = plainly (Constant (encode x))

-- | A type with one constructor and the format of 'Ashlar.Codec.Combinators.record': its name, and
-- its fields in order.
--
-- > describe = recordOf "Reading" [part @Text "station", part @Double "celsius"]
recordOf :: Described a => Text -> [Part] -> Describe a
recordOf name parts = definition (Parts name Record [Case name False parts])

-- | A type with the format of 'Ashlar.Codec.Combinators.variant': its name, and its alternatives in
-- order.
--
-- > describe = variantOf "Shape"
-- >   [caseOf "Point" [], caseOf "Circle" [part @Double "radius"], retiredCase "Oval"]
variantOf :: Described a => Text -> [Case] -> Describe a
variantOf name cases = definition (Parts name Sum cases)

-- | A field, its type and its name. Without a name (@""@) it gets its position.
part :: forall b. Described b => Text -> Part
part name = partBy name (describe @b)

-- | A field, and the description of its format.
partBy :: Text -> Describe b -> Part
partBy name b = Part name (shaped id b)

-- | An alternative: its name and its fields.
caseOf :: Text -> [Part] -> Case
caseOf name = Case name False

-- | A tag that is no longer in use.
retiredCase :: Text -> Case
retiredCase name = Case name True []
