-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Plan
-- Description : Decoders of old data
module Ashlar.Schema.Internal.Evolution.Plan
  ( planned,
    plannedMany,
    programBetween,
    onlyField,
    translating,
    Unknown (..),
  )
where

import Ashlar.Codec (Get)
import Ashlar.Get (bytesRead)
import Ashlar.Schema.Internal.Describe (Description (..), pruned)
import Ashlar.Schema.Internal.Evolution.Compile
import Ashlar.Schema.Internal.Evolution.Extent (Code (..))
import Ashlar.Schema.Internal.Evolution.Inner
import Ashlar.Schema.Internal.Evolution.Match
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output (freeBytes)
import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Data.ByteString (ByteString)
import qualified Data.IntMap.Strict as IM
import Data.Text (Text)
import qualified Data.Vector as V

-- | A decoder of values of an old schema, given today's description and decoder.
planned :: Unknown -> Description -> Get a -> Schema -> Either Mismatch (Get a)
planned unknown new today old = maybe today decoding <$> programBetween unknown old new
  where
    decoding p = case compiled p of
      Code translate -> translated freeBytes translate today
{-# NOINLINE planned #-}

-- | A decoder of n values, one after another, given the decoder of one of today's values, and that
-- of what follows a value that took this many bytes. To translate values together is faster than
-- one by one.
plannedMany ::
  Unknown -> Description -> Get a -> (Int -> Get ()) -> Schema -> Either Mismatch (Int -> Get [a])
plannedMany unknown new today after old =
  maybe asTheyAre decoding <$> programBetween unknown old new
  where
    asTheyAre n = list n $ do
      before <- bytesRead
      x <- today
      now <- bytesRead
      x <$ after (fromIntegral (now - before))
    decoding p = case compiled p of
      Code translate -> \n ->
        let values = list n today
            size = 128 * max 0 (min 40 n) + 128
         in translated size (oneAfterAnother after n translate) values
    list n g
      | n <= (0 :: Int) = pure []
      | otherwise = (:) <$> g <*> list (n - 1) g
{-# NOINLINE plannedMany #-}

-- | The program that turns old bytes into new ones. 'Nothing' if the bytes are the same, and
-- today's decoder refuses all that is to be refused.
programBetween :: Unknown -> Schema -> Description -> Either Mismatch (Maybe Program)
programBetween unknown old new
  | sameFingerprint old (descriptionSchema new) = Right Nothing
  | otherwise = do
    p <- program unknown old new
    if isIdentity p
      then Right Nothing
      else maybe (Right (Just p)) Left (unreadable p)

-- | The new bytes of a value.
translating :: Program -> Get ByteString
translating p = case compiled p of
  Code translate -> translatedBytes freeBytes translate

-- | The description of a record without all fields but one. So the bytes of its values are those of
-- the field, in the plain format. 'Nothing' if the description has no such field.
onlyField :: Text -> Description -> Maybe Description
onlyField name (Description s edits) = case inAnyFormat (schemaRoot s) of
  Reference i
    | d@Definition {definitionConstructors = [c]} <- schemaDefinitions s V.! i,
      [field] <- filter ((== name) . fieldName) (constructorFields c) ->
      -- A definition of its own, because the field may contain values of the whole record.
      Just . pruned (Reference count) $
        IM.insert
          count
          (d {definitionConstructors = [c {constructorFields = [field]}]}, edits V.! i)
          (IM.fromList (zip [0 ..] (V.toList (V.zip (schemaDefinitions s) edits))))
  _ -> Nothing
  where
    count = V.length (schemaDefinitions s)
