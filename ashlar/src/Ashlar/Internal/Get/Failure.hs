{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.Failure
-- Description : What a run remembers of failures, and the error that it makes of them
--
-- Note [The farthest failure]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder that goes back and tries something else fails many times, and in the end reports one
-- error. The last failure is rarely the one to report: @many record <* endOfInput@ fails at the
-- beginning of a broken record, because the input does not end there, and what is wrong is inside
-- the record. So a traced run (Note [Traced runs]) remembers the failures that got farthest, and
-- makes its error from those (Bryan Ford, "Packrat Parsing", 2002, section 3.2.4). How far a
-- failure got, its reach, is where the cursor was. What is tried only to look ahead does not count
-- if it succeeds as a whole.
--
-- Failing must stay cheap, because most failures lead to another alternative. A failure that got
-- less far costs one comparison. For the others, what is at hand is put into a record, and all else
-- waits until the run has failed. Among failures of the same reach the order is: no alternative,
-- unexpected bytes, bytes left over, bytes missing, messages, limits of the run. The last of the
-- highest is the winner ('toError'). So 'Control.Applicative.empty' is neutral and choices are
-- associative, also in their errors.
module Ashlar.Internal.Get.Failure
  ( -- * Failures
    Failure (..),
    Failures (..),
    reachSoFar,
    addFailure,
    addsNothing,
    listed,
    toError,

    -- * What was found
    Found (..),
    nothingFound,
    peekFound,
  )
where

import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem (peekLE)
import Data.Bits (shiftL, shiftR, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Ord (comparing)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (peekByteOff)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)

-- | One failure.
data Failure = Failure
  { -- | The offset up to which the decoder had come.
    failureReach :: !Int,
    -- | The offset of what was wrong: not after the reach.
    failureOffset :: !Int,
    -- | The bytes that the decoder examined there.
    failureFound :: !Found,
    -- | What was being decoded.
    failureContext :: !Context,
    -- | The part that the innermost value was in: 'Ashlar.Internal.Get.Env.partCell'.
    failurePart :: !PartNumber,
    -- | How far after the cursor the offset is, for 'labelsAt'.
    failureAhead :: !Int,
    -- | How many bytes the failure is about, for 'labelsAt'.
    failureSize :: !Int,
    failureReason :: !Reason
  }

-- | The failures that got farthest.
data Failures
  = -- | Nothing has failed yet.
    NoFailures
  | -- | The last of them, how many there are, and those before the last. All have the same reach.
    Failures {-# UNPACK #-} !Failure !Int !Failures
  | -- | One of them, which got farther than all before: a byte that was refused, in short. The
    -- offset, the byte, 'failurePart', what is around, and what was expected, the innermost first.
    Refusal !Int !Word8 !PartNumber !Context [String]

-- | A failure that was kept in short, as it would be in full.
--
-- Note [Refusals in short]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A traced run records each byte that a choice, or a 'Control.Applicative.many', does not go on
-- with, and forgets almost all of these records at the next one. So of a refusal that got farther
-- than all failures before it, only what is at hand is kept, in six words. It is written in full
-- when another failure gets as far, or for the error. (Benchmark "brackets, 100 KB, chunks of 100
-- bytes". Allocation test "a choice that the next byte decides". The tests "errors" compare traced
-- runs with each other on every split.)
inFull :: Failures -> Failures
inFull failures = case failures of
  Refusal at byte part context names -> Failures (refusal at byte part context names) 1 NoFailures
  _ -> failures
{-# INLINE inFull #-}

refusal :: Int -> Word8 -> PartNumber -> Context -> [String] -> Failure
refusal at byte part context names =
  Failure
    { failureReach = at,
      failureOffset = at,
      failureFound = Found 1 (fromIntegral byte) 0,
      failureContext = foldr (`Expecting` at) context names,
      failurePart = part,
      failureAhead = 0,
      failureSize = 1,
      failureReason = Unexpected
    }
{-# NOINLINE refusal #-}

-- | The reach of the failures so far, or -1.
reachSoFar :: Failures -> Int
reachSoFar failures = case failures of
  NoFailures -> -1
  Failures f _ _ -> failureReach f
  Refusal at _ _ _ _ -> at

-- | Add a failure to those that got equally far. It replaces those that got less far.
--
-- A loop may fail at the same offset any number of times, so their number has a limit. Beyond
-- it, a failure replaces the latest, unless that counts for more.
addFailure :: Failure -> Failures -> Failures
addFailure f short = case olds of
  Failures latest n older
    | failureReach f > failureReach latest -> Failures f 1 NoFailures
    | n < 32 -> Failures f (n + 1) olds
    | rank f >= rank latest -> Failures f n older
    | otherwise -> olds
  _ -> Failures f 1 NoFailures
  where
    olds = inFull short
{-# INLINE addFailure #-}

-- | Would 'addFailure' change nothing? The failure need not have its bytes yet.
--
-- Context and reason are compared by address, which is enough: this only saves time and memory.
addsNothing ::
  Failure ->
  -- | How many bytes will be found, at most 16.
  Int ->
  Failures ->
  Bool
addsNothing f found olds = case compare (failureReach f) (reachSoFar olds) of
  LT -> True
  EQ | Failures latest _ _ <- inFull olds -> same latest
  _ -> False
  where
    same latest =
      failureOffset f == failureOffset latest
        && found <= foundLength (failureFound latest)
        && failurePart f == failurePart latest
        && isTrue# (reallyUnsafePtrEquality# (failureContext f) (failureContext latest))
        && isTrue# (reallyUnsafePtrEquality# (failureReason f) (failureReason latest))
{-# INLINE addsNothing #-}

-- | All of them, the latest first.
listed :: Failures -> [Failure]
listed failures = case inFull failures of
  Failures f _ older -> f : listed older
  _ -> []

-- How much a failure counts among those that got equally far.
rank :: Failure -> Int
rank f = case failureReason f of
  NoAlternative -> maybe 0 (const 1) (expectation f)
  Unexpected -> 1
  TrailingInput -> 2
  MissingInput _ _ -> 3
  BadOffset _ _ -> 4
  Invalid _ -> 4
  OverBudget _ -> 5
  InOwnBytes _ -> 4

-- | The error that is made of the failures that got farthest. There must be one. The excerpt is
-- left empty. Texts are those of users, of any length, so they are shortened.
toError :: Failures -> DecodeError
toError list =
  DecodeError
    { errorOffset = fromIntegral (failureOffset winner),
      errorLabels = map shortText (labels winner),
      errorReason = case failureReason winner of
        Invalid _ -> Invalid (shortText (List.intercalate "; " messages))
        OverBudget message -> OverBudget (shortText message)
        reason -> reason,
      errorAnnounced = case failureReason winner of
        MissingInput _ _ -> announcedElements (failureContext winner)
        OverBudget _ -> announcedElements (failureContext winner)
        _ -> Nothing,
      errorExpected =
        List.nub [shortText name | f <- reverse peers, Just name <- [expectation f]],
      errorFound = foundBytes (List.maximumBy (comparing foundLength) (map failureFound peers)),
      errorExcerpt = noExcerpt
    }
  where
    failures = listed list
    -- The latest of the highest rank. Where nothing is said, labels count.
    winner = List.foldl1' (\best f -> if weight f > weight best then f else best) failures
    weight f = (rank f, if rank f == 0 then length (labels f) else 0)
    -- Those at the same offset. A used up budget stands alone.
    peers = filter (\f -> place f == place winner) failures
    place f = (failureOffset f, rank f == 5)
    messages =
      List.nub
        [ shortText message
          | f <- reverse peers,
            labels f == labels winner,
            Invalid message <- [failureReason f]
        ]
    labels f = labelsAt (failureContext f) (failurePart f) (failureAhead f) (failureSize f)

-- The first 1,000 characters, and a sign that there are more.
shortText :: String -> String
shortText s = case splitAt 1000 s of
  (start, []) -> start
  (start, _) -> start ++ ".."

-- What was expected where a failure happened: the outermost name that was given for that offset.
expectation :: Failure -> Maybe String
expectation f = go Nothing (failureContext f)
  where
    go found context = maybe (named context found) (go (named context found)) (enclosing context)
    named context found = case context of
      Expecting name at _ | at == failureOffset f -> Just name
      _ -> found

-- | Up to 16 bytes: how many, and the bytes, the first in the lowest bits.
data Found = Found {foundLength :: !Int, _foundLow :: !Word64, _foundHigh :: !Word64}

-- | No bytes.
nothingFound :: Found
nothingFound = Found 0 0 0

-- | The first 16 of n bytes, all of which must be readable.
peekFound :: Ptr Word8 -> Int -> IO Found
peekFound p n
  | n >= 16 = Found 16 <$> peekLE p <*> peekLE (p `plusPtr` 8)
  | n >= 8 = Found n <$> peekLE p <*> bytesUpTo (n - 1) 8 0
  | n > 0 = (\low -> Found n low 0) <$> bytesUpTo (n - 1) 0 0
  | otherwise = pure nothingFound
  where
    -- The bytes from the second number up to the first.
    bytesUpTo :: Int -> Int -> Word64 -> IO Word64
    bytesUpTo i from acc
      | i < from = pure acc
      | otherwise = do
        w <- peekByteOff p i :: IO Word8
        bytesUpTo (i - 1) from (acc `shiftL` 8 .|. fromIntegral w)

-- | The bytes, as a copy.
foundBytes :: Found -> ByteString
foundBytes (Found n low high) = S.pack (take n (bytes low ++ bytes high))
  where
    bytes :: Word64 -> [Word8]
    bytes w = [fromIntegral (w `shiftR` k) | k <- [0, 8 .. 56]]
