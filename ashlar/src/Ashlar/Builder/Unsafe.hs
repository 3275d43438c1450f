{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Builder.Unsafe
-- Description : Builders from functions that write at an address, unchecked
--
-- For what this library has no builder for: your own function writes a bounded number of
-- bytes at an address. "Ashlar.Builder.Prim.Unsafe" makes primitives of such functions.
-- 'fromWriter' is for actions that write builders.
--
-- A builder from a function in C that writes at most 20 bytes, and returns
-- how many:
--
-- > foreign import ccall unsafe "format_number" c_format :: Ptr Word8 -> Int64 -> IO Int
-- >
-- > formatted :: Int64 -> Builder
-- > formatted x = withPtr 20 (\p -> plusPtr p <$> c_format p x)
module Ashlar.Builder.Unsafe
  ( Builder,

    -- * Writing at an address
    withPtr,
    PokedOutside (..),
    storable,
    storables,
    ensure,
    atCursor,

    -- * Writing by an action
    fromWriter,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Poke

-- | A builder from an action that writes builders one after another: for a library that turns the
-- bytes of one builder into those of another, as compression does.
--
-- The action runs each time the builder runs, within pure code, as those of
-- 'System.IO.Unsafe.unsafePerformIO' do. It must have no effect but to write its bytes, the same
-- each time.
--
-- Write only from this action and its thread, and not after it has returned: then the memory is
-- gone. The output may be made while it is consumed, so a write may take any time, and may never
-- return. So nothing that must be released or restored may be open meanwhile: no
-- 'Control.Exception.bracket', 'Control.Exception.mask' or 'Control.Exception.catch' around it,
-- and no lock. A builder of this kind does not share its reservation with its neighbours.
--
-- >>> import Ashlar.Builder.Unsafe (fromWriter)
-- >>> fromWriter (\write -> mapM_ (write . intDec) [1, 2, 3])
-- "123"
fromWriter ::
  -- | Given the function that writes a builder.
  ((Builder -> IO ()) -> IO ()) ->
  Builder
fromWriter act = action (\c k -> act (\b -> runOn b c k))
