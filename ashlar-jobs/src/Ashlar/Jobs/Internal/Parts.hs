{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Parts
-- Description : A batch that is cut
--
-- Note [Cutting a batch]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- A batch is one part until an attempt fails. Then it is cut, and what is known of its parts is
-- kept with the delivery, so that the next worker goes on from there.
--
-- An exception says which record has failed. The results before it are kept, and it is the first of
-- the part that is left. When it has failed as often as the options allow, it alone is set aside,
-- and the part after it has all its attempts before it.
--
-- A worker that dies does not say at which record. When as many have died as the options allow, the
-- part is cut in halves, which are suspects. A suspect is cut again as soon as one worker has died,
-- and a single record is set aside when two have. So each death halves what may be guilty, and
-- those parts that do not kill get their results.
--
-- All failed attempts of a batch are counted. When there are too many, what is left is set aside as
-- it is.
module Ashlar.Jobs.Internal.Parts
  ( Cut (..),
    Part (..),
    PartState (..),
    whole,
    nextPart,
    Limits (..),

    -- * What happens to a part
    completed,
    Trouble (..),
    failedAt,
    killed,
    giveUp,

    -- * Bytes
    putParts,
    getParts,
    textLimit,
    partsReserve,
  )
where

import Ashlar.Builder (Builder, byteString, toStrictByteString, word32LE, word8)
import Ashlar.Get (getByteString, getWord32le, getWord8, runGetWhole, summarizeError)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import Data.Word (Word8)

-- | What is known of a batch.
data Cut = Cut
  { -- | How many attempts have failed.
    cutFailed :: !Int,
    cutParts :: [Part]
  }
  deriving stock (Eq, Show)

-- | Adjacent records of a batch: how many, at least 1, and what has become of them.
data Part = Part
  { partCount :: !Int,
    partState :: !PartState
  }
  deriving stock (Eq, Show)

data PartState
  = -- | They wait: how many attempts have failed at the first one, and whether it is known that one
    -- of some records including these kills workers.
    Waiting !Int !Bool
  | -- | The bytes of their results.
    Done !ByteString
  | -- | They are not tried again: how many attempts have failed, and why.
    SetAside !Int !Text
  deriving stock (Eq, Show)

-- | A batch of as many records that has not been tried.
whole :: Int -> Cut
whole n = Cut 0 [Part n (Waiting 0 False)]

-- | The first part that waits: how many records are before it, how many it has, and how many
-- attempts have failed at its first one.
nextPart :: Cut -> Maybe (Int, Int, Int)
nextPart = go 0 . cutParts
  where
    go at parts = case parts of
      [] -> Nothing
      Part n (Waiting tries _) : _ -> Just (at, n, tries)
      Part n _ : rest -> at + n `seq` go (at + n) rest

-- | How often what is tried.
data Limits = Limits
  { -- | A record is set aside when as many attempts have failed at it.
    limitAttempts :: !Int,
    -- | All that waits is set aside when as many attempts have failed.
    limitFailed :: !Int
  }
  deriving stock (Eq, Show)

-- | The first part that waits has these results.
completed :: ByteString -> Cut -> Cut
completed bytes = onFirst (\n _ _ -> [Part n (Done bytes)])

-- | Why a record has no result.
data Trouble = Trouble
  { troubleText :: !Text,
    -- | It is of no use to try again.
    troubleFinal :: !Bool,
    -- | Those after it will have none, either.
    troubleAll :: !Bool
  }
  deriving stock (Eq, Show)

-- | An attempt at the first part that waits has failed: after how many records, their results, and
-- why. Note [Cutting a batch].
failedAt :: Limits -> Int -> ByteString -> Trouble -> Cut -> Cut
failedAt limits k bytes trouble (Cut failed parts) =
  exhausted limits (troubleText trouble) (onFirst next (Cut (failed + 1) parts))
  where
    next n tries suspect
      | troubleFinal trouble || tries' >= limitAttempts limits =
        done ++ aside (if troubleAll trouble then left else 1)
      | otherwise = done ++ [Part left (Waiting tries' suspect)]
      where
        -- With results of all, nobody knows which record has failed.
        k' = if k < n then k else 0
        left = n - k'
        tries' = if k' == 0 then tries + 1 else 1
        done = [Part k' (Done bytes) | k' > 0]
        aside m =
          Part m (SetAside tries' (troubleText trouble)) :
            [Part (left - m) (Waiting 0 suspect) | left > m]

-- | As many workers have died or lost the batch since it was last heard of. 'Nothing' if it is to
-- be tried again as it is.
killed :: Limits -> Int -> Cut -> Maybe Cut
killed limits deaths (Cut failed parts) = case nextWaiting parts of
  Just (n, suspect)
    | deaths >= enough n suspect ->
      Just (exhausted limits why (onFirst cut (Cut (failed + deaths) parts)))
  _ -> Nothing
  where
    enough n suspect
      | not suspect = max 1 (limitAttempts limits)
      | n > 1 = 1
      | otherwise = min 2 (max 1 (limitAttempts limits))
    cut n _ _
      | n > 1 = [Part half (Waiting 0 True), Part (n - half) (Waiting 0 True)]
      | otherwise = [Part n (SetAside (failed + deaths) why)]
      where
        half = n `div` 2
    why = "each worker that took it has died or lost it"
    nextWaiting ps = case ps of
      Part n (Waiting _ suspect) : _ -> Just (n, suspect)
      _ : rest -> nextWaiting rest
      [] -> Nothing

-- When too many attempts have failed, what waits is set aside.
exhausted :: Limits -> Text -> Cut -> Cut
exhausted limits why cut
  | cutFailed cut >= limitFailed limits = giveUp why cut
  | otherwise = cut

-- | Set aside all that waits, and join what was set aside for the same reason.
giveUp :: Text -> Cut -> Cut
giveUp why (Cut failed parts) = Cut failed (joined (map close parts))
  where
    close (Part n (Waiting _ _)) = Part n (SetAside failed why)
    close part = part
    joined (Part n (SetAside a t) : Part m (SetAside b u) : rest)
      | t == u = joined (Part (n + m) (SetAside (max a b) t) : rest)
    joined (part : rest) = part : joined rest
    joined [] = []

onFirst :: (Int -> Int -> Bool -> [Part]) -> Cut -> Cut
onFirst f (Cut failed parts) = Cut failed (go parts)
  where
    go ps = case ps of
      Part n (Waiting tries suspect) : rest -> f n tries suspect ++ rest
      part : rest -> part : go rest
      [] -> []

-- | The body of an envelope of parts.
putParts :: [Part] -> ByteString
putParts = toStrictByteString . foldMap part
  where
    part :: Part -> Builder
    part (Part n state) = case state of
      Done bytes -> fields 2 n 0 bytes
      SetAside attempts why -> fields 3 n attempts (T.encodeUtf8 why)
      Waiting tries suspect -> fields (if suspect then 5 else 4) n tries S.empty
    fields :: Word8 -> Int -> Int -> ByteString -> Builder
    fields kind n attempts bytes =
      word8 kind
        <> word32LE (fromIntegral attempts)
        <> word32LE (fromIntegral n)
        <> word32LE (fromIntegral (S.length bytes))
        <> byteString bytes

-- | The parts of a body, given how many records they have together.
getParts :: Int -> ByteString -> Either String [Part]
getParts count body = case runGetWhole (go count) body of
  Left e -> Left ("its parts: " ++ summarizeError e)
  Right parts -> Right parts
  where
    go 0 = pure []
    go left = do
      kind <- getWord8
      attempts <- fromIntegral <$> getWord32le
      n <- fromIntegral <$> getWord32le
      if n < 1 || n > left then fail "a wrong number of records" else pure ()
      bytes <- getWord32le >>= getByteString . fromIntegral
      state <- case kind of
        2 | attempts == 0 -> pure (Done bytes)
        3 -> either (const (fail "not UTF-8")) (pure . SetAside attempts) (T.decodeUtf8' bytes)
        4 | S.null bytes -> pure (Waiting attempts False)
        5 | S.null bytes -> pure (Waiting attempts True)
        _ -> fail "an unknown kind of part"
      (Part n state :) <$> go (left - n)

-- | The most characters of an error, so that those of a batch fit beside its results, given the
-- most bytes of a body.
textLimit :: Limits -> Int -> Int
textLimit limits limit = max 40 (min 2000 (limit `div` (4 * errorsOf limits)))

-- | What of a body is kept free for the errors and the parts of a batch.
partsReserve :: Limits -> Int -> Int
partsReserve limits limit =
  min (limit `div` 2) (errorsOf limits * (4 * textLimit limits limit + 64))

-- No more parts are set aside.
errorsOf :: Limits -> Int
errorsOf limits = 2 * limitFailed limits + 2
