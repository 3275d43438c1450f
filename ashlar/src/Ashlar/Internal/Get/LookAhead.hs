{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.LookAhead
-- Description : Decoders that go back on success
module Ashlar.Internal.Get.LookAhead
  ( lookAhead,
    lookAheadM,
    lookAheadE,
    match,
  )
where

import Ashlar.Internal.Get.Bytes (slice)
import Ashlar.Internal.Get.ChoicePoint
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Input (atHand)
import Ashlar.Internal.Get.Segments (setLimit)
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Either (isLeft)
import Data.Maybe (isNothing)
import GHC.IO (unIO)

-- | Run a decoder, and go back to where it began. If it fails, so does this, and the input is where
-- it failed.
--
-- Until the decoder ends, the bytes that it reads are kept. Where input comes in chunks
-- ('Ashlar.Get.Decoder', "Ashlar.Get.Feed", 'Ashlar.Get.Source'), it may have to wait for the next
-- chunk, and keeps those from where it began: a look ahead by n bytes holds n bytes, rounded up to
-- whole chunks. So @lookAhead@ around the rest of a stream waits for the end of the stream, and
-- keeps all of it. When the decoder ends, the bytes that were read ahead stay at hand and are
-- decoded without waiting again. They are released as the decoders after it pass them. If the
-- stream ends first, the decoder fails, as anywhere else. Nothing needs to be fed twice.
--
-- >>> let size = lookAhead (getWord8 *> getWord16be)
-- >>> let message = size >>= \n -> getByteString (3 + fromIntegral n)
-- >>> let fed = runGetIncremental message `pushChunk` "m\0" `pushChunk` "\2hi"
-- >>> case fed of Done _ _ m -> print m; _ -> putStrLn "not done"
-- "m\NUL\STXhi"
--
-- >>> runGet ((,) <$> lookAhead getWord16be <*> getWord8) "\1\2"
-- Right (258,1)
--
-- @since 0.1.0.0
lookAhead :: Get a -> Get a
lookAhead = aheadIf (const True)
{-# INLINE lookAhead #-}

-- | Run a decoder, and go back to where it began if it returns 'Nothing'.
--
-- >>> let low = lookAheadM ((\w -> if w < 128 then Just w else Nothing) <$> getWord8)
-- >>> runGetRest low "\1\2"
-- Right (Just 1,"\STX")
-- >>> runGetRest low "\200"
-- Right (Nothing,"\200")
--
-- @since 0.1.0.0
lookAheadM :: Get (Maybe a) -> Get (Maybe a)
lookAheadM = aheadIf isNothing
{-# INLINE lookAheadM #-}

-- | Run a decoder, and go back to where it began if it returns 'Left'.
--
-- @since 0.1.0.0
lookAheadE :: Get (Either a b) -> Get (Either a b)
lookAheadE = aheadIf isLeft
{-# INLINE lookAheadE #-}

-- Go back if the result says so.
aheadIf :: (a -> Bool) -> Get a -> Get a
aheadIf goesBack (Get p) = Get $ \c env s0 -> case unIO (openLookAhead c) s0 of
  (# s1, point #) -> case unIO (failuresSoFar env) s1 of
    (# s2, before #) -> case p c env s2 of
      -- What failed there, but not for good, says nothing of what comes now.
      (# s3, a #) ->
        let close = if goesBack a then undo c env point before else closeLookAhead c point
         in case unIO close s3 of (# s4, _ #) -> (# s4, a #)
{-# INLINE aheadIf #-}

-- | Run a decoder, and return its result with the bytes that it read. These are a slice of the
-- input if they lie in one chunk, as with 'Ashlar.Get.getByteString'.
--
-- >>> runGet (match (many (getWord8 >>= guard . (> 32)))) "word "
-- Right ("word",[(),(),(),()])
--
-- @since 0.1.0.0
match :: Get a -> Get (ByteString, a)
match (Get p) = Get $ \c env s0 -> case unIO (openLookAhead c) s0 of
  (# s1, point #) -> case p c env s1 of
    (# s2, a #) -> case unIO (consumed c env point) s2 of
      (# s3, bytes #) -> (# s3, (bytes, a) #)
{-# INLINE match #-}

-- The bytes from the choice point to the cursor.
consumed :: Cells -> Env -> ChoicePoint -> IO ByteString
consumed c env point = do
  now <- position c
  limit <- getInt c limitCell
  goBack c env point
  closeLookAhead c point
  -- They were read, whatever the limit is here: see 'setLimit'.
  setLimit c now
  -- Not negative: nothing goes back to before where it began.
  let n = now - pointOffset point
  bytes <- if n == 0 then pure S.empty else atHand c env n >> slice c env n
  bytes <$ setLimit c limit
{-# NOINLINE consumed #-}
