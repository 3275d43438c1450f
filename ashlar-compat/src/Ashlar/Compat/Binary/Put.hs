{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Compat.Binary.Put
-- Description : Data.Binary.Put, by import
--
-- Every name of "Data.Binary.Put", as of @binary@ 0.8.9, with its type and meaning: the same bytes,
-- as lazily. Only the import must change. The builders in the types of 'putBuilder' and 'execPut'
-- are those of "Ashlar.Builder".
--
-- The constructor of 'PutM' is not exported. @binary@ exports it, but not the type of its content.
module Ashlar.Compat.Binary.Put
  ( module Ashlar.Put,
  )
where

-- Names that binary does not have would clash with definitions of its users.
import Ashlar.Put hiding (putInt24be, putInt24le, putWord24be, putWord24le)
