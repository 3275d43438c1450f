{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.File.Internal.Records
-- Description : The records of a block
--
-- Note [Batches]
-- ~~~~~~~~~~~~~~
-- A run of a decoder costs as much as a small record. So the records of a block are decoded some at
-- a time, in one run that makes a list. The user's action cannot be part of the run: what runs it
-- may begin again, and it would be interrupted in places where nobody expects it. A list of some
-- kilobytes is garbage before it leaves the nursery.
--
-- If a batch fails, its records are decoded one by one, so that those before the fault are not
-- lost.
module Ashlar.File.Internal.Records
  ( Decode (..),
    decodeBy,
    Batch (..),
    nextBatch,
    expanded,
    shiftError,
  )
where

import Ashlar.Codec (DecodeError (..), Excerpt (..))
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Type
import Ashlar.Get (Get, getWord8, runGetRest)
import Ashlar.Internal.Get.Core (here, step)
import Ashlar.Internal.Get.Env (budgetCells, defaultSteps, stepsCell)
import Ashlar.Internal.Mem.Cells (putInt)
import Control.Exception
  ( SomeAsyncException (..),
    SomeException,
    displayException,
    evaluate,
    fromException,
    throwIO,
    try,
  )
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.List as List

-- | How to decode a number of records, and what follows them.
newtype Decode a = Decode (Int -> ByteString -> Either DecodeError ([a], ByteString))

-- | Records, one after another, each with a budget of its own. One that reads nothing has a byte
-- that is 0.
decodeBy :: Get a -> Decode a
decodeBy g = Decode (\n -> runGetRest (go n))
  where
    go n
      | n <= (0 :: Int) = pure []
      | otherwise = do
        -- Steps are counted for each record.
        step (\c env -> putInt (budgetCells c env) stepsCell defaultSteps)
        before <- here
        x <- g
        now <- here
        if now == before then padding else pure ()
        (x :) <$> go (n - 1)
    padding = do
      w <- getWord8
      if w == 0 then pure () else fail "a byte that is not 0 for a record of no bytes"
{-# INLINE decodeBy #-}

-- | The next records of a block.
data Batch a
  = -- | Some records, and what follows them.
    Batch [a] !ByteString
  | -- | Some records, and why the next one cannot be decoded.
    BrokenBatch [a] DecodeError

-- | Decode some of the records that are left.
nextBatch ::
  Decode a ->
  -- | How many records are left: at least one.
  Int ->
  -- | How many bytes precede, for errors.
  Int ->
  ByteString ->
  (Int, Batch a)
nextBatch (Decode decode) left offset bytes = case decode n bytes of
  Right (xs, rest) -> (n, Batch xs rest)
  Left _ -> (n, oneByOne n [] bytes)
  where
    n = max 1 (min 64 (min left (4096 * left `div` max 1 (S.length bytes))))
    oneByOne k xs rest
      | k == (0 :: Int) = Batch (List.reverse xs) rest
      | otherwise = case decode 1 rest of
        Right (x, rest') -> oneByOne (k - 1) (x ++ xs) rest'
        Left e ->
          BrokenBatch (List.reverse xs) (shiftError (offset + S.length bytes - S.length rest) e)

-- | The error of a decoder that began at an offset.
shiftError :: Int -> DecodeError -> DecodeError
shiftError n e =
  e {errorOffset = errorOffset e + by, errorExcerpt = Excerpt (from + by) bytes}
  where
    by = fromIntegral n :: Int64
    Excerpt from bytes = errorExcerpt e

-- | The body of a block, given the most it may have for each byte that is stored.
expanded :: Maybe Compression -> Int -> BlockHeader -> ByteString -> IO (Either Cause ByteString)
expanded compression ratio h body
  | not (blockCompressed h) = pure (Right body)
  | blockExpanded h `div` max 1 ratio > blockStored h =
    pure (Left (TooLarge (blockExpanded h) (blockStored h * ratio)))
  | otherwise = case compression of
    Nothing -> pure (Left (UnknownCompression S.empty))
    Just c -> do
      result <- try $ do
        whole <- evaluate (expandBody c (blockExpanded h) body)
        traverse evaluate whole
      case result of
        Left e -> case fromException e of
          Just (SomeAsyncException _) -> throwIO e
          Nothing -> pure (Left (WrongExpansion (displayException (e :: SomeException))))
        Right (Left why) -> pure (Left (WrongExpansion why))
        Right (Right bytes)
          | S.length bytes == blockExpanded h -> pure (Right bytes)
          | otherwise -> pure (Left (WrongExpansion "another number of bytes than the block says"))
