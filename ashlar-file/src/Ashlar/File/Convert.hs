{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.File.Convert
-- Description : Files of records from files of other libraries
--
-- Data that binary, cereal or store have written are converted once, to a file whose records have
-- today's format. If their instances were derived, the tool @ashlar convert@ does it, given the
-- schema of the type: see "Ashlar.Schema.Compat". If an instance was written by hand, only a
-- program that has it knows the bytes. This module is for such programs, and
-- "Ashlar.Compat.Formats" has decoders for the instances.
--
-- (A schema describes today's format. So the types of "Ashlar.Compat.Formats" have no
-- 'Ashlar.Schema.Described' instances, and 'Ashlar.File.Described.described' does not compile for
-- them.)
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import Ashlar.Compat.Binary (Binary)
-- >>> import qualified Ashlar.Compat.Binary as Binary
-- >>> import Ashlar.Compat.Formats (BinaryFormat (..))
-- >>> import Ashlar.File (fixedType)
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> import System.IO (IOMode (..), hClose, openTempFile, withBinaryFile)
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Generic, Codec, Binary)
-- >>> (old, h) <- openTempFile "." "old"
-- >>> L.hPut h (foldMap Binary.encode [Order "brick" 12, Order "mortar" 3]) >> hClose h
-- >>> let orders = fixedType "order" :: RecordType Order
-- >>> let convert from = convertHandle quietly (fromBinaryFormat <$> get) orders from
-- >>> withBinaryFile old ReadMode (\from -> convert from (old ++ ".records"))
-- FoldEnded 43 2
module Ashlar.File.Convert
  ( convertHandle,
    quietly,
    RecordType,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File.Internal.Options (defaultWriteOptions)
import Ashlar.File.Internal.Type (RecordType)
import Ashlar.File.Internal.Writer (withWriter, write)
import Ashlar.Get (Folded, Get, hFoldGetUntil)
import Control.Monad (when)
import Data.Int (Int64)
import Data.Void (Void)
import System.IO (Handle)

-- | Write a file of records, or replace one, from values that stand one after another in
-- any format. It takes constant memory.
--
-- The result has the offset after the last value that was read, counted from where the handle
-- stood, and the number of records. If a value cannot be decoded, it is 'Ashlar.Get.FoldFailed' and
-- says why. The records before it are in the file. A value may take 64 MiB, and
-- 'Ashlar.Get.withBudget' sets another limit.
--
-- A list that was written as one value has its length before its elements. Read it from the handle
-- first.
--
-- Throws 'Control.Exception.IOException', and what 'Ashlar.File.withWriter' throws.
convertHandle ::
  Codec a =>
  -- | Gets the number of records so far, after each 4,096. 'System.IO.hTell' tells how much of the
  -- old file was read.
  (Int64 -> IO ()) ->
  -- | How to read a value.
  Get a ->
  -- | What to write.
  RecordType a ->
  -- | The old file.
  Handle ->
  -- | The file of records.
  FilePath ->
  IO (Folded Void Int64)
convertHandle progress g ty old path =
  withWriter defaultWriteOptions ty path $ \writer ->
    let one n x = do
          write writer x
          let n' = n + 1
          when (n' `rem` 4096 == 0) (progress n')
          pure (Right n')
     in hFoldGetUntil old g one 0
{-# INLINE convertHandle #-}

-- | No progress is shown.
quietly :: Int64 -> IO ()
quietly _ = pure ()
