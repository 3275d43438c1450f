{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Get.Unsafe
-- Description : Incremental decoders of other libraries, as a part of a decoder
--
-- Some parts of a format say by themselves where they end, and another library knows how: deflate
-- in a git pack, a PNG or a PDF. Such a library takes chunks until it has enough, and returns what
-- it did not need. (@ashlar-zlib@ has a decoder of deflate that is made with this.)
--
-- The actions run within pure code, as those of 'System.IO.Unsafe.unsafePerformIO' do. So this
-- module is not for Safe Haskell, and the actions must have no effect that anybody sees.
module Ashlar.Get.Unsafe
  ( Foreign (..),
    getForeign,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Input (moreInput)
import Ashlar.Internal.Get.Numbers (available, slice)
import Data.ByteString (ByteString)

-- | A decoder that is fed chunks.
data Foreign a
  = -- | It needs a chunk, which is not empty, or 'Nothing' for the end of the input.
    Hungry (Maybe ByteString -> IO (Foreign a))
  | -- | It has enough: how many bytes of the last chunk it has not used, and its result.
    Enough !Int a
  | -- | What is wrong.
    Refused String

-- | Run a decoder that is fed chunks, on the input from here to where it has enough. It gets no
-- byte after the end of an 'Ashlar.Get.isolate' or of a budget. Its bytes are not held.
--
-- If it refuses, this is an 'Invalid' error where it began: it does not say where it has found
-- that. If it is hungry after the end of the input, bytes are missing there.
--
-- The action that starts it runs for each try of this decoder: after a choice has gone back, and
-- again to find out why a run on strict input has failed. So it must do the same each time. An
-- exception of an action ends the run, and what it makes must not depend on how the input is cut
-- into chunks. (Where a run that has failed stands in the input does depend on it.) An asynchronous
-- exception may strike in an action. One that handles it as another exception, as
-- 'Control.Exception.bracket' does, cannot be resumed where a lazy value is interrupted.
--
-- This one takes all up to a zero:
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
    -- How far it had come depends on the chunks.
    refused began = failWith began began nothingFound . Invalid
    ended began feed = do
      next <- effect (feed Nothing)
      case next of
        Hungry _ -> here >>= \at -> failWith at at nothingFound (MissingInput 1 0)
        _ -> hungry began next
    -- The next n bytes, which are there. They are not read yet.
    ahead n = do
      p <- cursor
      bs <- slice n
      bs <$ moveTo p
