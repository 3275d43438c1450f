{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Span
-- Description : Decoding bytes that have been read, or made of what was read
--
-- Note [A decoder on other bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The decoder of other bytes is a part of the run that has them: it has the same levels and the
-- same steps. Only its input is another one, so it has cells of its own. All of it is in memory. So
-- it never waits, and has no limit on bytes. It fails as any decoder does.
--
-- Bytes of the input are read at the offsets that they have there. So what failed needs no
-- translation.
module Ashlar.Internal.Get.Span
  ( Span,
    getSpan,
    ownBytes,
    spanBytes,
    inSpan,
    onBytes,
  )
where

import Ashlar.Internal.Get.Bytes (getByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (limitsOf, markOver)
import Ashlar.Internal.Get.Path (Context (OriginAt, Top))
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Run (errorOf)
import Ashlar.Internal.Get.Segments (openFirst)
import Ashlar.Internal.Mem (keepAlive)
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (readIORef)
import GHC.Exts (Ptr (Ptr))
import GHC.IO (IO (..), unIO)

-- | Bytes for 'inSpan', and the offset at which they lie in the input, if they do. It is for the
-- run that it comes from: another one would report offsets of the wrong input.
data Span = Span !(Maybe Int) !ByteString
  deriving stock (Show)

-- | The next bytes, to be decoded later. A slice, or a copy, as with 'Ashlar.Get.getByteString'.
getSpan ::
  -- | How many. A negative number fails.
  Int ->
  Get Span
getSpan n = here >>= \at -> Span (Just at) <$> getByteString n

-- | Bytes that are not in the input as they are: decompressed, decrypted, put together.
ownBytes :: ByteString -> Span
ownBytes = Span Nothing

-- | The bytes.
spanBytes :: Span -> ByteString
spanBytes (Span _ bs) = bs

-- | Run a decoder on bytes that have been read. What it leaves of them is ignored: to refuse that,
-- end it with 'Ashlar.Get.endOfInput'.
--
-- It is a part of the decoder around: it uses the same budget, and its errors have the same path,
-- and the offsets that the bytes have in the input. Offsets that it goes to count from the first of
-- the bytes, as if an 'Ashlar.Get.origin' were there. For bytes that are not in the input
-- ('ownBytes'), the error is where the decoder around is, and has the other one for a reason
-- ('InOwnBytes'). A commit in it gives up the choices in it.
--
-- > getSpan n >>= \s -> inSpan s p  =  isolateAtMost n p <* skip what it leaves
--
-- >>> let names = label "names" (getSpan 6)
-- >>> let name i = skip (fromIntegral i) *> getByteStringNul
-- >>> let entry table = label "entry" (getWord8 >>= \i -> inSpan table (name i))
-- >>> runGet (names >>= \table -> (,) <$> entry table <*> entry table) "ab\0cd\0\3\0"
-- Right ("cd","ab")
-- >>> either (putStrLn . summarizeError) print (runGet (names >>= entry) "ab\0cde\4")
-- at byte 4, in entry: 3 bytes needed, 2 left
--
-- >>> let record = inSpan (ownBytes "\1\2") (label "record" getWord32be)
-- >>> either (putStrLn . displayException) print (runGet (skip 3 *> label "packed" record) "...")
-- at byte 3, in packed: in bytes of their own, at byte 0, in record: 4 bytes needed, 2 left
--   00000000  01 02                                             |..|
--             ^^ ^^
inSpan :: Span -> Get a -> Get a
inSpan (Span at bs) g = do
  now <- here
  outcome <- case at of
    Just start ->
      onBytes start (OriginAt start) (\_ env _ input -> addFrom now env input) g bs
    Nothing -> onBytes 0 (const (OriginAt 0 Top)) (ownError now) g bs
  either (\() -> failed) pure outcome
  where
    -- They got as far as the decoder around, or farther.
    addFrom now env input =
      readIORef (inputFailures input) >>= mapM_ (add now env) . reverse . listed
    add now env f = do
      before <- failuresSoFar env
      setFailures env (addFailure f {failureReach = max now (failureReach f)} before)
    ownError :: Int -> Cells -> Env -> Cells -> Input -> IO ()
    ownError now c env own input =
      whenTraced c $ errorOf own input >>= record c env now now nothingFound . InOwnBytes

-- | Run a decoder on other bytes.
onBytes ::
  -- | The offset of the first of them.
  Int ->
  -- | The context in them, given that around.
  (Context -> Context) ->
  -- | What to do if it fails, given the cells and the environment around, and its cells and its
  -- input.
  (Cells -> Env -> Cells -> Input -> IO b) ->
  Get a ->
  ByteString ->
  Get (Either b a)
onBytes start inside refused g bs = inspect $ \c env _ -> do
  input <- wholeInput bs
  limits <- limitsOf c env
  levels <- getInt c levelsCell
  part <- getInt c partCell
  keepAlive (inputSegments input) $
    withCells cellCount $ \own -> do
      openFirst own start (start + S.length bs) maxBound bs
      putInt own levelsCell levels
      putInt own partCell part
      putInt own stepsCell 0
      let unlimited =
            limits
              { limitBytes = maxBound,
                limitEnd = maxBound,
                limitIsolate = maxBound,
                limitAccount = Account own
              }
          inner = Env input (Own (budgetAccount c env) unlimited) (inside (envContext env))
      IO $ \s0 -> case unIO (getPtr own cursorCell) s0 of
        (# s1, Ptr p #) -> case unGet g p own inner s1 of
          (# s2, _, (# a | #) #) -> (# s2, Right a #)
          (# s2, _, (# | _ #) #) -> unIO (Left <$> failing c env own input) s2
  where
    failing c env own input = do
      -- The budget is that of the decoder around.
      over <- isOver own
      when over $ markOver c *> setFailures env NoFailures
      refused c env own input
