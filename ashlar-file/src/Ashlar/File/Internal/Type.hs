{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Type
-- Description : What a file says about the type of its records, and options
module Ashlar.File.Internal.Type
  ( RecordType (..),
    fixedType,
    Evolved (..),
    evolvedBy,
    afterRecord,
    viewed,

    -- * Compression
    Compression (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Get (Get, getWord8)
import Ashlar.Get.Combinators (refine)
import Ashlar.View (View, viewOf)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import GHC.Fingerprint (Fingerprint, fingerprintString)

-- | What a file says about the type of its records, and how to read records of other types.
data RecordType a = RecordType
  { -- | Describes the type in bytes. A file has them once, and again where records of a changed
    -- type begin. This package does not interpret them.
    typeSchema :: !ByteString,
    -- | Tells the format of the type from all others. Records that are stored with an equal
    -- fingerprint are read by 'get'.
    typeFingerprint :: !Fingerprint,
    -- | Given the schema and the fingerprint of other records: how to read them, or why they cannot
    -- be read as values of this type. It is asked once for each schema of a file, before the first
    -- of its records.
    typeEvolved :: ByteString -> Fingerprint -> Either String (Evolved a),
    -- | Passes over a record of today's format that the type refuses, if that can be done. Reading
    -- that goes on after damage then loses this record alone.
    typePass :: Maybe (Get ())
  }

-- | How to read records of another type.
data Evolved a = Evolved
  { -- | A record.
    evolvedGet :: Get a,
    -- | As many records, if that is faster than one by one. After each, 'afterRecord' must be read.
    evolvedMany :: Maybe (Int -> Get [a]),
    -- | As 'typePass'.
    evolvedPass :: Maybe (Get ())
  }

-- | Read record by record. A record that is refused hides those after it in its block.
evolvedBy :: Get a -> Evolved a
evolvedBy g = Evolved g Nothing Nothing

-- | Read what follows a record, given how many bytes the record took: a byte that is 0 if it took
-- none. So no file can announce more records than bytes.
afterRecord :: Int -> Get ()
afterRecord n
  | n > 0 = pure ()
  | otherwise = refine zero getWord8
  where
    zero w
      | w == 0 = Right ()
      | otherwise = Left "a byte that is not 0 for a record of no bytes"

-- | Read records as views: in place, and decode what is used. A record of today's type is passed
-- over by its lengths and tags. An older one is decoded, and encoded anew.
--
-- >>> :set -XDataKinds -XDeriveAnyClass -XDeriveGeneric -XTypeApplications
-- >>> import Ashlar.File
-- >>> import Ashlar.View (decodeView, field)
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Generic, Codec)
-- >>> let order = fixedType "order, version 1" :: RecordType Order
-- >>> writeRecords order "orders" [Order "brick" 12, Order "mortar" 3]
-- >>> :{
-- foldRecords (viewed order) "orders"
--   (\n o -> pure ((+) <$> n <*> decodeView (field @"count" o))) (Right 0)
-- :}
-- Right (Right 15)
viewed :: Codec a => RecordType a -> RecordType (View a)
viewed ty = ty {typeEvolved = \bytes fingerprint -> asViews <$> typeEvolved ty bytes fingerprint}
  where
    asViews (Evolved one many pass) =
      Evolved (viewOf <$> one) (fmap (fmap (fmap (map viewOf))) many) pass

-- | A type that does not change. Its name is its schema. A file of any other name is refused. So
-- give it another name when its format changes.
--
-- >>> typeSchema (fixedType "order, version 1" :: RecordType Int)
-- "order, version 1"
fixedType ::
  -- | The name, in Latin-1.
  String ->
  RecordType a
fixedType name =
  RecordType
    { typeSchema = C.pack name,
      typeFingerprint = fingerprintString name,
      typeEvolved = \schema _ ->
        Left ("records of " ++ shown schema ++ " where " ++ show name ++ " is expected"),
      typePass = Nothing
    }
  where
    -- The schema may be of any size.
    shown schema = show (C.take 100 schema) ++ (if C.length schema > 100 then "..." else "")

-- | How the bodies of blocks are compressed, one at a time.
--
-- @zlibBlocks 6@ is one, of the module @Ashlar.Zlib.File@ of the package ashlar-zlib.
data Compression = Compression
  { -- | Its name in the file's header. It must not be empty.
    compressionName :: !ByteString,
    -- | Compress a body.
    compressBody :: ByteString -> ByteString,
    -- | Expand a body to this number of bytes, or say why not. It must end on any input. To bound
    -- memory, it must not make many more bytes than that. If it throws an exception, the block
    -- counts as damaged.
    expandBody :: Int -> ByteString -> Either String ByteString
  }
