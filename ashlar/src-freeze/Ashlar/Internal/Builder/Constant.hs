-- |
-- Module      : Ashlar.Internal.Builder.Constant
-- Description : ByteStrings that are literals
--
-- For GHC before 9.6. Its bytestring may make a literal when the program runs, so no rule can find
-- its address.
module Ashlar.Internal.Builder.Constant () where
