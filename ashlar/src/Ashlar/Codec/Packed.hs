{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Codec.Packed
-- Description : A format of few bytes for a whole type
--
-- The plain format is made for speed: an 'Int' has eight bytes, a 'Bool' one. The packed format is
-- made for size. Small numbers take one byte, and constructors share bytes. A list of an
-- enumeration of five constructors takes a third of the bytes, a tree of them a fifth.
--
-- [As a wrapper] 'Packed' serves a whole type and all inside it.
-- [For one field] 'Ashlar.Codec.Wrappers.Varint' and 'Ashlar.Codec.Wrappers.Zigzag' make one number
--   short, 'Ashlar.Codec.Wrappers.Compact' one length. All else stays plain.
-- [As an exception] 'Unpacked' keeps a part of a packed value plain.
--
-- @make bench BENCH=Packed@ compares its times with those of the plain format. The page \"How small
-- can my data be?\" of the cookbook says when to use it.
module Ashlar.Codec.Packed
  ( Packed (..),
    Pack,
    Unpacked (..),
  )
where

import Ashlar.Internal.Codec.Instances.Packed ()
import Ashlar.Internal.Codec.Pack
