-- |
-- Module      : Ashlar.Compat.Binary.Put
-- Description : Data.Binary.Put, by import
--
-- Every name of "Data.Binary.Put" (as of @binary@ 0.8.9) with its type and its meaning: the bytes are the
-- same, and so is the laziness. A program needs to change the one line that imports it.
-- 'Builder', in the types of 'putBuilder' and 'execPut', is that of "Ashlar.Builder".
--
-- (The constructor of 'PutM' is not exported. In @binary@ it is, but the type of its
-- field is not.)
module Ashlar.Compat.Binary.Put
  ( module Ashlar.Put,
  )
where

import Ashlar.Put
