{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Get.Unsafe
-- Description : Incremental decoders of other libraries, as a part of a decoder
--
-- Some parts of a format have no length before them, but mark their own end, and are decoded by
-- another library: deflate in a git pack, a PNG or a PDF. Such a library takes chunks until it has
-- enough, and returns the bytes that it did not need. (The decoder of deflate in @ashlar-zlib@ is
-- made with this.)
--
-- The actions run within pure code, as by 'System.IO.Unsafe.unsafePerformIO'. So this module is not
-- for Safe Haskell, and the actions must have no visible effects.
module Ashlar.Get.Unsafe
  ( Foreign (..),
    getForeign,
  )
where

import Ashlar.Internal.Get.Bytes (available, slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Input (moreInput)
import Data.ByteString (ByteString)

-- | A decoder of another library, which is fed chunks.
data Foreign a
  = -- | It needs a chunk, which is not empty, or 'Nothing' for the end of the input.
    Hungry (Maybe ByteString -> IO (Foreign a))
  | -- | It has enough: how many bytes of the last chunk it has not used, and its result.
    Enough !Int a
  | -- | It has failed: an error message.
    Refused String

-- | Run a foreign decoder on the input from here on, until it has enough. It gets no bytes after
-- the end of an 'Ashlar.Get.isolate' or of a budget. Its input is not held.
--
-- If the foreign decoder refuses the input, the error is 'Invalid' at the offset where it began. If
-- it still needs input at the end, the error is 'MissingInput' there.
--
-- The starting action runs each time this decoder is tried: after a choice has gone back, and again
-- to find the error of a failed run on strict input. So it must do the same each time. The result
-- must not depend on how the input is cut into chunks. (After a failure, the offset where the run
-- stopped may.) If an action throws an exception, that ends the run. An asynchronous exception may
-- strike in an action. If the action rethrows it synchronously, as 'Control.Exception.bracket'
-- does, an interrupted lazy value cannot be resumed.
--
-- This example takes all bytes up to a zero:
--
-- >>> import qualified Data.ByteString as S
-- >>> import Ashlar.Get.Unsafe
-- >>> :{
-- let upToZero n = Hungry (pure . maybe (Refused "no zero") fed)
--       where
--         fed bs = case S.elemIndex 0 bs of
--           Just i -> Enough (S.length bs - i - 1) (n + i)
--           Nothing -> upToZero (n + S.length bs)
-- in runGetRest (getForeign (pure (upToZero 0))) "abc\0de"
-- :}
-- Right (3,"de")
getForeign :: IO (Foreign a) -> Get a
getForeign start = here >>= \began -> effect start >>= hungry began
  where
    hungry began state = case state of
      Enough _ a -> pure a
      Refused why -> refused began why
      Hungry feed -> moreInput >>= \more -> if more then fed began feed else ended began feed
    fed began feed = do
      n <- available
      bs <- ahead n
      next <- effect (feed (Just bs))
      case next of
        Enough unused a
          | unused < 0 || unused > n -> refused began tooMuch
          | otherwise -> a <$ moveBy (n - unused)
        _ -> moveBy n *> hungry began next
    tooMuch = "a foreign decoder returned bytes that it was not given"
    -- The reach is where it began, because the offset of the cursor depends on the chunks.
    refused began = failWith began began nothingFound . Invalid
    ended began feed = do
      next <- effect (feed Nothing)
      case next of
        Hungry _ -> here >>= \at -> failWith at at nothingFound (MissingInput 1 0)
        _ -> hungry began next
    -- The next n bytes, which are at hand. This does not read them.
    ahead n = do
      p <- cursor
      bs <- slice n
      bs <$ moveTo p
