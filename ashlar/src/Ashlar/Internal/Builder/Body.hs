{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Builder.Body
-- Description : Bodies of messages of a known length
module Ashlar.Internal.Builder.Body (WrongBodyLength (..)) where

import Control.Exception (Exception (..))
import Data.Int (Int64)

-- | A body has another number of bytes than its header says: that of a builder whose length was
-- given, or the encoding of a value whose instance of @Codec@ is wrong about its size.
data WrongBodyLength = WrongBodyLength
  { -- | What the header says.
    lengthAnnounced :: !Int64,
    -- | What the builder has. If this is more, there may be more yet.
    lengthBuilt :: !Int64
  }
  deriving stock (Eq, Show)

instance Exception WrongBodyLength where
  displayException (WrongBodyLength announced built) =
    "Ashlar: the body: " ++ show announced ++ " bytes announced, " ++ show built ++ " built"
