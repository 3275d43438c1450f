{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.ST
-- Description : Mutable state inside a decoder
--
-- Decoders that fill a mutable vector, or use other mutable state as in 'Control.Monad.ST.ST'.
--
-- >>> import qualified Data.Vector.Unboxed as U
-- >>> import qualified Data.Vector.Unboxed.Mutable as M
-- >>> :{
-- let twoBytes :: Get (U.Vector Word8)
--     twoBytes = runGetST $ do
--       v <- M.new 2
--       liftGet getWord8 >>= M.write v 1
--       liftGet getWord8 >>= M.write v 0
--       U.unsafeFreeze v
-- in runGet twoBytes "ab"
-- :}
-- Right [98,97]
module Ashlar.Get.ST
  ( GetST,
    runGetST,
    liftGet,
    labelST,
    isolateST,
    lookAheadST,
    deeperST,
  )
where

import Ashlar.Internal.Get.Vectors
  ( GetST,
    deeperST,
    isolateST,
    labelST,
    liftGet,
    lookAheadST,
    runGetST,
  )
