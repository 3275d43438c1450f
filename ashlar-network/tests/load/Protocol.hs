{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Protocol
-- Description : What good peers ask, and the server answers
module Protocol
  ( Question (..),
    Answer (..),
    Part (..),
    questions,
    answers,
    questionOf,
    answerTo,
    serverOptions,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Network.Messages
import Ashlar.Schema (Described)
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics (Generic)

data Question = Question {serial :: Int, text :: Text, parts :: [Part]}
  deriving stock (Eq, Generic)
  deriving anyclass (Codec, Described)

data Part = Plain Double (Maybe Int) | Nested [Part]
  deriving stock (Eq, Generic)
  deriving anyclass (Codec, Described)

data Answer = Answer Int [Int]
  deriving stock (Eq, Generic)
  deriving anyclass (Codec, Described)

questions :: RecordType Question
questions = described
{-# NOINLINE questions #-}

answers :: RecordType Answer
answers = described
{-# NOINLINE answers #-}

-- | All good questions are of this form: of some bytes, or of up to 64 KiB.
questionOf :: Int -> Question
questionOf n = Question n (T.pack (show n)) (map part [1 .. count])
  where
    count = if n `mod` 100 == 7 then 3000 else n `mod` 50
    part i
      | i `mod` 5 == 0 = Nested [Plain 0.5 Nothing]
      | otherwise = Plain (fromIntegral i) (Just (n + i))

answerTo :: Question -> Answer
answerTo q = Answer (serial q) (map weight (parts q))
  where
    weight (Plain x n) = round x + maybe 0 (* 3) n
    weight (Nested ps) = 1 + sum (map weight ps)

-- | Messages and schemas of up to 64 KiB, and ten seconds for whatever takes time.
serverOptions :: Options
serverOptions =
  defaultOptions
    { optionsMessageLimit = 65536,
      optionsSchemaLimit = 65536,
      optionsHandshakeTime = 10000000,
      optionsMessageTime = 10000000,
      optionsSendTime = 10000000
    }
