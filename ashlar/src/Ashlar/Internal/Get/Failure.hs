{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.Failure
-- Description : What a run remembers of failures, and the error that it makes of them
--
-- Note [The farthest failure]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A run that tries alternatives may fail many times, and reports one error. The last failure is
-- rarely the right one: @many record <* endOfInput@ fails at the beginning of a broken record,
-- because the input does not end there, but the fault is inside the record. So a traced run
-- (Note [Traced runs]) remembers the failures with the greatest reach, and makes its error from
-- those (Bryan Ford, "Packrat Parsing", 2002, section 3.2.4). The reach of a failure is the offset
-- of the cursor, or of the fault if that is later. Failures inside a look-ahead that succeeds do
-- not count.
--
-- Failing must stay cheap, because most failures lead to another alternative. A failure with a
-- lesser reach costs one comparison. Other failures are put into a record, from which the error is
-- made after the run has failed. Failures of the same reach are ranked in this order, the lowest
-- first: no alternative, unexpected bytes, bytes left over, bytes missing, messages, budgets. The
-- last failure of the highest rank wins ('toError'). So 'Control.Applicative.empty' is neutral and
-- choices are associative in their errors, too.
module Ashlar.Internal.Get.Failure
  ( -- * Failures
    Failure (..),
    Failures (..),
    Refusal (..),
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
import Data.Maybe (isJust)
import Data.Ord (comparing)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (peekByteOff)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)

-- | One failure.
data Failure = Failure
  { -- | The offset of the cursor, or of the fault if that is later.
    failureReach :: !Int,
    -- | The offset of the fault. It is not after the reach.
    failureOffset :: !Int,
    -- | The bytes that the decoder examined there.
    failureFound :: !Found,
    -- | The context of the decoder.
    failureContext :: !Context,
    -- | The part of the innermost value: 'Ashlar.Internal.Get.Env.partCell'.
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
  | -- | The last failure, the number of all of them, and those before the last. All have the same
    -- reach.
    Failures {-# UNPACK #-} !Failure !Int !Failures
  | -- | One failure, which got farther than all before.
    OneRefusal {-# UNPACK #-} !Refusal

-- | A byte that was refused.
--
-- Note [Refusals in short]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A traced run records each byte that a choice, or a 'Control.Applicative.many', refuses, and soon
-- replaces almost all of these records. So a refusal that got farther than all failures before it
-- is kept in six words. It is expanded to a 'Failure' when another failure gets as far, or for the
-- error. (Benchmark "brackets, 100 KB, chunks of 100 bytes". Allocation test "a choice that the
-- next byte decides". The tests "errors" compare traced runs with each other on every split.)
data Refusal = Refusal
  { refusalOffset :: !Int,
    refusalByte :: !Word8,
    -- | 'failurePart'.
    refusalPart :: !PartNumber,
    refusalContext :: !Context,
    -- | The names of what was expected, the innermost first.
    refusalExpected :: [String]
  }

-- Expand a 'Refusal'.
inFull :: Failures -> Failures
inFull failures = case failures of
  OneRefusal (Refusal at byte part context names) ->
    Failures (refusal at byte part context names) 1 NoFailures
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

-- | The reach of the failures, or -1 if nothing has failed.
reachSoFar :: Failures -> Int
reachSoFar failures = case failures of
  NoFailures -> -1
  Failures f _ _ -> failureReach f
  OneRefusal refused -> refusalOffset refused

-- | Add a failure whose reach is not less than that of the others. If it is greater, the failure
-- replaces the others.
--
-- A loop may fail at the same offset any number of times, so only 32 are kept. After that, a
-- failure replaces the latest one, unless the reason of that has a higher rank.
addFailure :: Failure -> Failures -> Failures
addFailure f short = case olds of
  Failures latest n older
    | failureReach f > failureReach latest -> Failures f 1 NoFailures
    | n < 32 -> Failures f (n + 1) olds
    | reasonRank f >= reasonRank latest -> Failures f n older
    | otherwise -> olds
  _ -> Failures f 1 NoFailures
  where
    olds = inFull short
{-# INLINE addFailure #-}

-- | Would adding the failure change nothing? Its bytes need not be there yet. Contexts and reasons
-- are compared by address. If equal ones differ in address, that only costs time and memory.
addsNothing ::
  Failure ->
  -- | How many bytes it will have found, at most 16.
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

-- | The failures as a list, the latest first.
listed :: Failures -> [Failure]
listed failures = case inFull failures of
  Failures f _ older -> f : listed older
  _ -> []

-- The rank of a failure among those of the same reach: Note [The farthest failure].
rank :: Failure -> Int
rank f = case failureReason f of
  NoAlternative | isJust (expectation f) -> 1
  _ -> reasonRank f

-- The rank by the reason alone. It takes constant time, while the names of what was expected are
-- looked for in the whole context. (Test "many alternatives, deeply nested".)
reasonRank :: Failure -> Int
reasonRank f = case failureReason f of
  NoAlternative -> 0
  Unexpected -> 1
  TrailingInput -> 2
  MissingInput _ _ -> 3
  BadOffset _ _ -> 4
  Invalid _ -> 4
  OverBudget _ -> 5
  InOwnBytes _ -> 4

-- | The error of a run, given its failures, of which there must be one at least. It has no excerpt.
-- Names and messages may have any length, so they are shortened.
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
    -- The latest failure of the highest rank. Without names or messages, the one with most labels.
    winner = List.foldl1' (\best f -> if weight f > weight best then f else best) failures
    weight f = (rank f, if rank f == 0 then length (labels f) else 0)
    -- The failures at the same offset. A used-up budget is not combined with other failures.
    peers = filter (\f -> place f == place winner) failures
    place f = (failureOffset f, rank f == 5)
    messages =
      List.nub
        [ shortText message
          | f <- reverse peers,
            map shortText (labels f) == map shortText (labels winner),
            Invalid message <- [failureReason f],
            not (null message)
        ]
    labels f = labelsAt (failureContext f) (failurePart f) (failureAhead f) (failureSize f)

-- A text, or its first 1,000 characters and @..@.
shortText :: String -> String
shortText s = case splitAt 1000 s of
  (start, []) -> start
  (start, _) -> start ++ ".."

-- What was expected at the offset of a failure: the outermost name that was given for that offset.
expectation :: Failure -> Maybe String
expectation f = go Nothing (failureContext f)
  where
    go found context = maybe (named context found) (go (named context found)) (enclosing context)
    named context found = case context of
      Expecting name at _ | at == failureOffset f -> Just name
      _ -> found

-- | Up to 16 bytes: their number, and the bytes, with the first one in the lowest bits.
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
    -- The bytes from index 'from' up to index 'i', before those in 'acc'.
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
