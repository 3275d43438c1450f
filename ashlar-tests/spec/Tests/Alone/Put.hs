{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Alone.Put
-- Description : Nothing but Ashlar.Put
module Tests.Alone.Put (shown) where

import Ashlar.Put

shown :: String
shown = show (execPut (putWord8 65 >> putBuilder "BC"))
