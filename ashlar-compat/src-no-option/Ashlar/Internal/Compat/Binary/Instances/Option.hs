-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Option
-- Description : Nothing: base has no Option from 4.16 on
module Ashlar.Internal.Compat.Binary.Instances.Option () where
