-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Packing
-- Description : From the packed format to the plain one, and back
--
-- Programs know the plain format only. A packed value becomes plain bytes, with all in it, before a
-- program translates it. After that it is packed. Both go by way of a 'Value'.
module Ashlar.Schema.Internal.Evolution.Packing
  ( expanding,
    packing,
    copying,
    leavingOut,
    undescribedIn,
    hasUnpacked,
    plainEdits,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (Get)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema.Internal.Decode
import Ashlar.Schema.Internal.Edit
import Ashlar.Schema.Internal.Evolution.Mismatch (Misfit (..))
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.IntSet as IS
import Data.Maybe (listToMaybe)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | The plain bytes of a packed value, given the shape that is packed.
expanding :: Schema -> Shape -> Get ByteString
expanding s shape = bytesOf <$> getPlainValue (packed s shape)

-- | The packed bytes of a value that is plain, with all in it.
packing :: Schema -> Shape -> Get ByteString
packing s shape = bytesOf . InPacked <$> getExpanded s {schemaRoot = shape}

-- | The bytes of a packed value.
copying :: Schema -> Shape -> Get ByteString
copying s shape = bytesOf <$> getValue (packed s shape)

-- | No bytes in place of a packed value.
leavingOut :: Schema -> Shape -> Get ByteString
leavingOut s shape = B.empty <$ getValue (packed s shape)

-- | What keeps values of this shape from being read by the schema, if anything does. Constructors
-- that are no longer in use do not.
undescribedIn :: Schema -> Shape -> Maybe Misfit
undescribedIn s shape0 = go IS.empty [shape0]
  where
    go _ [] = Nothing
    go seen (shape : rest) = case shape of
      Opaque name _ Nothing -> Just (NotDescribed name)
      Irregular name -> Just (IsIrregular name)
      Reference i
        | IS.member i seen -> go seen rest
        | otherwise -> go (IS.insert i seen) (partsInUse (schemaDefinitions s V.! i) ++ rest)
      _ -> go seen (shapesIn shape ++ rest)
    partsInUse d =
      [ fieldShape f
        | c <- definitionConstructors d,
          not (constructorRetired c),
          f <- constructorFields c
      ]

-- | Does the schema have a part that stays plain inside of a packed one?
hasUnpacked :: Schema -> Bool
hasUnpacked s = any within (schemaRoot s : concatMap fieldShapes (schemaDefinitions s))
  where
    within shape = case shape of
      Unpacked _ -> True
      _ -> any within (shapesIn shape)

-- | What is said of the evolution of each definition, with defaults and converted values that are
-- plain.
plainEdits :: Schema -> V.Vector [Edit] -> V.Vector [Edit]
plainEdits s = V.zipWith (\d -> map (plainEdit d)) (schemaDefinitions s)
  where
    plainEdit d edit = case edit of
      Added n bs | Just shape <- shapeOf d n -> Added n (plainBytes shape bs)
      Converted n old g | Just shape <- shapeOf d n -> Converted n old (plainBytes shape <$> g)
      _ -> edit
    -- The bytes are those of a value of today's type.
    plainBytes shape bs =
      either (const bs) bytesOf (runGetWhole (getPlainValue s {schemaRoot = shape}) bs)
    shapeOf d n =
      listToMaybe
        [ fieldShape f
          | c <- definitionConstructors d,
            f <- constructorFields c,
            n `elem` [fieldName f, T.concat [constructorName c, T.pack ".", fieldName f]]
        ]

packed :: Schema -> Shape -> Schema
packed s shape = s {schemaRoot = Packed shape}

bytesOf :: Value -> ByteString
bytesOf = toStrictByteString . putValue
