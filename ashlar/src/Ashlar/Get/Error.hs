{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Get.Error
-- Description : What is said about input that cannot be decoded
module Ashlar.Get.Error
  ( DecodeError (..),
    Reason (..),
  )
where

import Control.Exception (Exception (..))
import Data.Int (Int64)
import Data.List (intercalate)

-- | Where and why a decoder failed.
--
-- It does not depend on how the input was cut into chunks.
--
-- >>> putStrLn (displayException (DecodeError 12 ["price", "order"] (MissingInput 8 5)))
-- at byte 12, in order / price: 8 bytes needed, 5 left
--
-- @since 0.1.0.0
data DecodeError = DecodeError
  { -- | Bytes from the start of the stream to the point of failure.
    errorOffset :: !Int64,
    -- | The labels around that point ('Ashlar.Get.label'), innermost first.
    errorLabels :: [String],
    -- | What was wrong there.
    errorReason :: !Reason
  }
  deriving stock (Eq, Show)

-- | What was wrong.
--
-- @since 0.1.0.0
data Reason
  = -- | The input ends (or the bytes of an 'Ashlar.Get.isolate' do): how many
    -- bytes were needed, and how many were left.
    MissingInput !Int !Int
  | -- | The decoder called 'fail', or found a value that is not allowed.
    Invalid String
  | -- | The input should have ended here.
    TrailingInput
  deriving stock (Eq, Show)

instance Exception DecodeError where
  displayException (DecodeError offset labels reason) =
    "at byte " ++ show offset ++ place ++ ": " ++ what
    where
      place
        | null labels = ""
        | otherwise = ", in " ++ intercalate " / " (reverse labels)
      what = case reason of
        MissingInput needed left -> count needed ++ " needed, " ++ show left ++ " left"
        Invalid message -> message
        TrailingInput -> "the input should end here"
      count 1 = "1 byte"
      count n = show n ++ " bytes"
