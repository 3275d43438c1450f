{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Missing
-- Description : Types that have no format
--
-- For these types GHC's own message leads nowhere: for a field that is a function it advises to
-- apply the function to more arguments, and to derive the instance apart. @scripts/mistakes@
-- compares the messages.
--
-- The contexts are equations because a deriving clause would take a bare @TypeError@ as the context
-- of the new instance, and report nothing.
module Ashlar.Internal.Codec.Instances.Missing () where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Class
import GHC.TypeLits (ErrorMessage (..), TypeError)

-- | Overlappable, so that a program may define an instance for functions that it can enumerate.
instance
  {-# OVERLAPPABLE #-}
  TypeError
    ( 'Text "A function has no format: " ':<>: 'ShowType (a -> b)
        ':$$: 'Text "Leave it out of what is encoded, or encode what it is made of."
    )
    ~ '() =>
  Codec (a -> b)
  where
  layout = never
  size = never
  put = never
  get = never

instance
  TypeError
    ( 'Text "A Builder is output, not a value that could be read back."
        ':$$: 'Text "toStrictByteString runs it. Its bytes, a ByteString, have a format."
    )
    ~ '() =>
  Codec Builder
  where
  layout = never
  size = never
  put = never
  get = never

-- No program that compiles gets here.
never :: a
never = errorWithoutStackTrace "Ashlar.Codec: a type without a format"
