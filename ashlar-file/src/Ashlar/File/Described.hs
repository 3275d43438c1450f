{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Safe #-}
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
    describedSkipping,
  )
where

import Ashlar.Codec (Get, decode, encode, summarizeError)
import Ashlar.File.Internal.Type
import Ashlar.Schema (Described, Schema, getValue, schema, schemaFingerprint)
import Ashlar.Schema.Evolution
  ( Mismatch,
    describeMismatch,
    plan,
    planMany,
    planManySkipping,
    planSkipping,
  )
import qualified Data.Text as T

-- | Files of this type. They contain its 'schema', and its fingerprint tells them from other files.
-- So they do not change when the type moves, and its name and newtypes in it may change.
--
-- The schema is computed anew for each file. Where many files are opened, give the 'RecordType' a
-- name and a type.
--
-- Records of an older format are read by 'Ashlar.Schema.Evolution.plan'. What the type's evolution
-- does not explain is refused, and the message says what to write. A record that the type refuses,
-- by a condition or because its constructor was dropped, is passed over by its schema where
-- 'Ashlar.File.readResync' is set.
described :: forall a. Described a => RecordType a
described = recordsRead (plan @a) (planMany @a afterRecord)
{-# INLINE described #-}

-- | 'described' for a program that also reads newer data than it knows, by
-- 'Ashlar.Schema.Evolution.planSkipping'. Fields of the data that the type does not have are
-- skipped. A record with a constructor that the type does not have is refused, and the message has
-- its name. Where 'Ashlar.File.readResync' is set, this record alone is passed over. What the type
-- needs and the data do not have is refused before the first record, as by 'described'.
--
-- Fields of older data that the type does not have are skipped, too, where 'described' would ask
-- for a @dropped@.
--
-- A program that appends to newer data writes records of its own type. It must not rewrite them:
-- what it skips would be lost.
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> import Ashlar.File
-- >>> import Ashlar.Schema (Described)
-- >>> data Newer = Newer { item, note :: Text, count :: Int } deriving (Generic, Codec, Described)
-- >>> writeRecords described "newer" [Newer "brick" "urgent" 12, Newer "mortar" "" 3]
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Generic, Codec, Described)
-- >>> foldRecords describedSkipping "newer" (\n o -> pure (n + count o)) 0
-- Right 15
describedSkipping :: forall a. Described a => RecordType a
describedSkipping = recordsRead (planSkipping @a) (planManySkipping @a afterRecord)
{-# INLINE describedSkipping #-}

-- The first function reads one record of another schema, the second one many.
recordsRead ::
  forall a.
  Described a =>
  (Schema -> Either Mismatch (Get a)) ->
  (Schema -> Either Mismatch (Int -> Get [a])) ->
  RecordType a
recordsRead one many =
  RecordType
    { typeSchema = encode today,
      typeFingerprint = schemaFingerprint today,
      typeEvolved = \bytes _ -> case decode bytes of
        Left e -> Left ("the schema of the records cannot be read: " ++ summarizeError e)
        Right other -> either (Left . T.unpack . describeMismatch) Right (evolved other),
      typePass = Just (pass today)
    }
  where
    today = schema @a
    evolved other = Evolved <$> one other <*> (Just <$> many other) <*> pure (Just (pass other))
    pass s = () <$ getValue s
