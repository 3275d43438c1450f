{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.File.Described
-- Description : Files of types that describe themselves
--
-- The 'RecordType' of a type with a schema: files say what their records are, and @ashlar@, the
-- tool of the package ashlar-cli, shows them without the program that wrote them.
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> import Ashlar.File
-- >>> import Ashlar.Schema (Described)
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Generic, Codec, Described)
-- >>> import System.IO (hClose, openTempFile)
-- >>> (path, handle) <- openTempFile "." "orders"
-- >>> hClose handle
-- >>> appendRecords described path [Order "brick" 12, Order "mortar" 3]
-- >>> foldRecords described path (\n o -> pure (n + count o)) 0
-- Right 15
module Ashlar.File.Described
  ( described,
  )
where

import Ashlar.Codec (decode, encode, summarizeError)
import Ashlar.File.Internal.Type
import Ashlar.Schema (Described, getValue, schema, schemaFingerprint)
import Ashlar.Schema.Evolution (describeMismatch, plan, planMany)
import qualified Data.Text as T

-- | Files of this type. They contain its 'schema', and are told apart by its fingerprint. So they
-- do not change when the type moves, and its name and newtypes in it may change.
--
-- The schema is computed anew for each file. Where many files are opened, give the 'RecordType' a
-- name and a type.
--
-- Records of an older format are read by 'Ashlar.Schema.Evolution.plan'. What the type's evolution
-- does not explain is refused, and the message says what to write. A record that the type refuses,
-- by a condition or because its constructor was dropped, is passed over by its schema where
-- 'Ashlar.File.readResync' is set.
--
-- @since 0.1.0.0
described :: forall a. Described a => RecordType a
described =
  RecordType
    { typeSchema = encode today,
      typeFingerprint = schemaFingerprint today,
      typeEvolved = \bytes _ -> case decode bytes of
        Left e -> Left ("the schema of the records cannot be read: " ++ summarizeError e)
        Right old -> either (Left . T.unpack . describeMismatch) Right (evolved old),
      typePass = Just (pass today)
    }
  where
    today = schema @a
    evolved old =
      Evolved <$> plan @a old <*> (Just <$> planMany @a afterRecord old) <*> pure (Just (pass old))
    pass s = () <$ getValue s
{-# INLINE described #-}
