{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Records
-- Description : Records of any schema, as bytes
module Records
  ( Record (..),
    recordsBy,
    readBack,
  )
where

import Ashlar.Builder (byteString, toStrictByteString)
import Ashlar.Codec (Codec, HasFormat (format), encode)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.Schema hiding (Record)
import Ashlar.Zlib.File (zlibBlocks)
import qualified Data.ByteString as B

-- | The bytes of a record.
newtype Record = Record B.ByteString
  deriving stock (Show)

instance Codec Record

-- Records are read by their schema only: see 'recordsBy'.
instance HasFormat Record where
  format =
    byHand 0 (\(Record bs) -> B.length bs) (\(Record bs) -> byteString bs) (fail "by its schema")

-- | Records of this schema.
recordsBy :: Schema -> RecordType Record
recordsBy s =
  RecordType
    { typeSchema = encode s,
      typeFingerprint = schemaFingerprint s,
      typeEvolved = \_ _ -> Left "another schema",
      typePass = Nothing
    }

-- | The records of a file, if all have this schema.
readBack :: Schema -> FilePath -> IO (Either String [B.ByteString])
readBack s path = do
  outcome <- foldRecordsWith options reader path (\xs (Record x) -> pure (more xs x)) []
  pure $ case outcome of
    Ended _ xs -> Right (reverse xs)
    Damaged _ _ d -> Left (show d)
    Stopped _ () -> Left "stopped"
  where
    more xs x = Right (x : xs) :: Either () [B.ByteString]
    options = defaultReadOptions {readCompressions = [zlibBlocks 6]}
    -- A fingerprint of no schema, so that the schema of the file is used.
    reader =
      (recordsBy s)
        { typeFingerprint = schemaFingerprint (Schema (Irregular mempty) mempty),
          typeEvolved = \bytes stored ->
            if bytes == encode s && stored == schemaFingerprint s
              then Right (evolvedBy (Record . toStrictByteString . putValue <$> getValue s))
              else Left "another schema"
        }
