-- |
-- Module      : Tests.Failures
-- Description : Errors, or the parts of them that a test is about
module Tests.Failures
  ( brief,
    failure,
    failing,
    reasonOf,
    tooDeep,
    tooManyEmpties,
    tooManyBytes,
    tooManyHeld,
  )
where

import Ashlar.Get
import Data.Bifunctor (first)
import qualified Data.ByteString as S
import Data.Int (Int64)

-- | The offset, the labels and the reason of an error.
brief :: Either DecodeError a -> Either (Int64, [String], Reason) a
brief = first (\e -> (errorOffset e, errorLabels e, errorReason e))

-- | An error with this offset, labels, reason, names of what was expected, and
-- what was found.
failure :: Int64 -> [String] -> Reason -> [String] -> S.ByteString -> DecodeError
failure offset labels reason expected found =
  DecodeError
    { errorOffset = offset,
      errorLabels = labels,
      errorReason = reason,
      errorAnnounced = Nothing,
      errorExpected = expected,
      errorFound = found,
      errorExcerpt = Excerpt 0 S.empty
    }

-- | An error with nothing but an offset and a reason.
failing :: Int64 -> Reason -> Either DecodeError a
failing offset reason = Left (failure offset [] reason [] S.empty)

-- | Why it failed, if it did.
reasonOf :: Either DecodeError a -> Maybe Reason
reasonOf = either (Just . errorReason) (const Nothing)

-- | Why a decoder fails that nests more deeply than this many levels.
tooDeep :: Int -> Reason
tooDeep n =
  OverBudget ("nested more than " ++ show n ++ " levels deep; withBudget raises the limit")

-- | Why a decoder fails that decodes more than this many elements of no bytes.
tooManyEmpties :: Int -> Reason
tooManyEmpties n =
  OverBudget ("more than " ++ show n ++ " elements of no bytes; withBudget raises the limit")

-- | Why a value fails that may take this many bytes, and perhaps announces how many it needs.
tooManyBytes :: Int -> Maybe Int -> Reason
tooManyBytes n announced =
  OverBudget $
    "more than " ++ show n ++ " bytes" ++ needed announced ++ "; withBudget raises the limit"

-- | Why a run fails that may hold 64 MiB, and perhaps announces how many bytes it needs.
tooManyHeld :: Maybe Int -> Reason
tooManyHeld announced =
  OverBudget $
    "more than 67108864 bytes held"
      ++ needed announced
      ++ ": hFoldGet decodes value by value, withBudget and functions like decodeFileWith raise "
      ++ "the limit, and a file that is read as a strict ByteString has none"

needed :: Maybe Int -> String
needed = maybe "" (\m -> " (" ++ show m ++ " needed)")
