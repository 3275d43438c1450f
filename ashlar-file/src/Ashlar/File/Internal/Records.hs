{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.File.Internal.Records
-- Description : The records of a block
--
-- Note [Batches]
-- ~~~~~~~~~~~~~~
-- A run of a decoder costs as much as a small record. So the records of a block are decoded some at
-- a time, in one run that makes a list. The user's action cannot be part of the run, because a run
-- may begin again, and may be interrupted where the action does not expect it. A list of some
-- kilobytes is garbage before it leaves the nursery.
--
-- A batch has one budget, that of one record: with a budget for each, a batch of small records
-- could hold as much memory as all of its budgets allow. If it fails, its records are decoded one
-- by one, each with a budget of its own. So no record before the fault is lost, none is refused
-- because of those before it, and none is decoded more than twice. The same holds for a batch that
-- throws: a conversion or a condition of the user's may.
module Ashlar.File.Internal.Records
  ( Decode,
    decodeBy,
    passingBy,
    decodeMany,
    Records (..),
    recordsOf,
    afterRecords,
    expandable,
    expanded,
    expandedBy,
    synchronously,
    shiftError,
  )
where

import Ashlar.Codec (DecodeError (..), Excerpt (..))
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Type
import Ashlar.Get (Get, bytesRead, runGetRest)
import Control.Concurrent (myThreadId, throwTo)
import Control.Exception
  ( SomeAsyncException (..),
    SomeException (..),
    displayException,
    evaluate,
    fromException,
    try,
  )
import Control.Monad (replicateM_)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)

-- | How to decode n records, which also returns the bytes after them; and, if that is known, how to
-- pass over one that cannot be decoded.
data Decode a
  = Decode (Int -> ByteString -> Either DecodeError ([a], ByteString)) (Maybe (Get ()))

-- | Decode record by record, with one budget for all of them. A record that reads nothing has a
-- byte that is 0.
decodeBy :: Get a -> Decode a
decodeBy g = Decode (\n -> runGetRest (go n)) Nothing
  where
    go n
      | n <= (0 :: Int) = pure []
      | otherwise = do
        x <- recordBy g
        (x :) <$> go (n - 1)
{-# INLINE decodeBy #-}

-- A record, and what follows it.
recordBy :: Get a -> Get a
recordBy g = do
  before <- bytesRead
  x <- g
  now <- bytesRead
  x <$ afterRecord (fromIntegral (now - before))
{-# INLINE recordBy #-}

-- | Decode records, given how to read n of them.
decodeMany :: (Int -> Get [a]) -> Decode a
decodeMany g = Decode (\n -> runGetRest (g n)) Nothing

-- | The same, with a way to pass over a record.
passingBy :: Maybe (Get ()) -> Decode a -> Decode a
passingBy pass (Decode decode _) = Decode decode pass

-- | The records of a block, decoded as they are asked for.
data Records a
  = -- | A number of records, the records, and those that follow.
    Some !Int [a] (IO (Records a))
  | -- | One cannot be decoded: why, with an offset in the body; the bytes from its first on; and
    -- the records that follow, if its extent is known. (The error is kept. It must not keep the
    -- body.)
    Refused !DecodeError !ByteString (Maybe (IO (Records a)))
  | -- | The decoder of one throws this. The records that follow, if its extent is known.
    Threw !SomeException (Maybe (IO (Records a)))
  | -- | All have been decoded. The bytes that follow.
    NoMore !ByteString

-- | The records of a body, given how many it has: Note [Batches].
recordsOf :: Decode a -> Int -> ByteString -> IO (Records a)
recordsOf (Decode decode pass) count body = go count count body
  where
    -- 'left' is how many records are left. All but the last 'batched' of them were in a batch that
    -- has failed, and are decoded one by one.
    go left batched bytes
      | left <= 0 = pure (NoMore bytes)
      | otherwise = do
        outcome <- synchronously (evaluate (decode n bytes))
        case outcome of
          Right (Right (xs, rest)) -> pure (Some n xs (go (left - n) batched rest))
          _ | n > 1 -> go left (left - n) bytes
          Right (Left e) -> pure (Refused (shiftError passed e) bytes next)
          Left e -> pure (Threw e next)
      where
        passed = S.length body - S.length bytes
        next = go (left - 1) batched <$> passedOver bytes
        n
          | left > batched = 1
          | otherwise = max 1 (min 64 (min left (4096 * left `div` max 1 (S.length bytes))))
    passedOver bytes = pass >>= \g -> afterRecords g 1 bytes

-- | The bytes after some records, given how to pass over one. 'Nothing' if that fails, or needs
-- more than one budget.
afterRecords :: Get () -> Int -> ByteString -> Maybe ByteString
afterRecords g n bytes = case runGetRest (replicateM_ n (recordBy g)) bytes of
  Right (_, rest) -> Just rest
  Left _ -> Nothing

-- | The error of a decoder that began at an offset.
shiftError :: Int -> DecodeError -> DecodeError
shiftError n e =
  e {errorOffset = errorOffset e + by, errorExcerpt = Excerpt (from + by) bytes}
  where
    by = fromIntegral n :: Int64
    Excerpt from bytes = errorExcerpt e

-- | Expand the body of a block, given how many bytes it may have for each byte that is stored.
expanded :: Maybe Compression -> Int -> BlockHeader -> ByteString -> IO (Either Cause ByteString)
expanded compression ratio h body
  | not (blockCompressed h) = pure (Right body)
  | not (expandable ratio (blockStored h) (blockExpanded h)) =
    pure (Left (TooLarge (blockExpanded h) (blockStored h * ratio)))
  | otherwise = case compression of
    Nothing -> pure (Left (UnknownCompression S.empty))
    Just c -> either (Left . WrongExpansion) Right <$> expandedBy c (blockExpanded h) body

-- | May a body have so few bytes where it is stored, given how many it has when it is expanded?
expandable ::
  -- | The most bytes for each byte that is stored.
  Int ->
  Int ->
  Int ->
  Bool
expandable ratio stored size = size `div` max 1 ratio <= stored

-- | Expand a body to a number of bytes, or say why that fails: also if the function throws.
expandedBy :: Compression -> Int -> ByteString -> IO (Either String ByteString)
expandedBy c size body = do
  result <- synchronously (evaluate (expandBody c size body) >>= traverse evaluate)
  pure $ case result of
    -- (The outer one would add a backtrace, from GHC 9.10 on.)
    Left (SomeException e) -> Left (displayException e)
    Right (Right bytes)
      | S.length bytes /= size -> Left "another number of bytes than the block says"
    Right expansion -> expansion

-- | An action, or the exception of a value in it. An asynchronous exception is thrown to this
-- thread, and not from here: a lazy list of records would keep it. If that is forced again, the
-- action begins anew.
synchronously :: IO a -> IO (Either SomeException a)
synchronously act = do
  result <- try act
  case result of
    Left e | Just (SomeAsyncException _) <- fromException e -> do
      me <- myThreadId
      throwTo me e
      synchronously act
    _ -> pure result
