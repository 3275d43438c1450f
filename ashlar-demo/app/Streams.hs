{-# LANGUAGE LambdaCase #-}

-- |
-- Module      : Streams
-- Description : A stream of records through a Handle, by each library
--
-- Each library as its documentation shows, in constant memory.
module Streams
  ( Library (..),
    libraries,
  )
where

import qualified Ashlar.Builder as Ashlar
import qualified Ashlar.Codec as Ashlar
import qualified Ashlar.Get as Ashlar
import Control.Exception (throwIO)
import Control.Monad (forM_, unless)
import qualified Data.Binary as Binary
import qualified Data.Binary.Get as Binary
import qualified Data.Binary.Put as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize as Cereal
import qualified Data.Store as Store
import Failure
import Package
import System.IO (Handle)

-- | A way to write and read records.
data Library = Library
  { libraryName :: String,
    -- | Write these records, repeated this often.
    encodeStream :: Handle -> Int -> [Package] -> IO (),
    -- | Read records up to the end, and pass each to an action.
    decodeStream :: Handle -> (Package -> IO ()) -> IO ()
  }

-- | Ours is the first.
libraries :: [Library]
libraries = [ashlar, binary, cereal, store]

ashlar :: Library
ashlar =
  Library
    { libraryName = "ashlar",
      encodeStream = \h times packages ->
        Ashlar.hPutBuilder h (foldMap Ashlar.put (repeated times packages)),
      decodeStream = \h use -> do
        source <- Ashlar.handleSource h
        Ashlar.foldFrom source Ashlar.get (\() p -> use p) () >>= either throwIO pure
    }

binary :: Library
binary =
  Library
    { libraryName = "binary",
      encodeStream = \h times packages ->
        L.hPut h (Binary.runPut (mapM_ Binary.put (repeated times packages))),
      decodeStream = \h use ->
        let records rest = do
              bs <- if S.null rest then chunk h else pure rest
              unless (S.null bs) $ run (Binary.runGetIncremental Binary.get `Binary.pushChunk` bs)
            run = \case
              Binary.Done rest _ p -> use p >> records rest
              Binary.Partial more ->
                chunk h >>= \bs ->
                  run (more (if S.null bs then Nothing else Just bs))
              Binary.Fail _ _ message -> failure message
         in records S.empty
    }

cereal :: Library
cereal =
  Library
    { libraryName = "cereal",
      encodeStream = \h times packages ->
        L.hPut h (Cereal.runPutLazy (mapM_ Cereal.put (repeated times packages))),
      decodeStream = \h use ->
        let records rest = do
              bs <- if S.null rest then chunk h else pure rest
              unless (S.null bs) $ run (Cereal.runGetPartial Cereal.get bs)
            run = \case
              Cereal.Done p rest -> use p >> records rest
              -- An empty chunk marks the end.
              Cereal.Partial more -> chunk h >>= run . more
              Cereal.Fail message _ -> failure message
         in records S.empty
    }

-- store has no incremental interface, so each record comes after its length.
store :: Library
store =
  Library
    { libraryName = "store",
      encodeStream = \h times packages ->
        forM_ (repeated times packages) $ \p -> do
          let bs = Store.encode p
          S.hPut h (Store.encode (S.length bs))
          S.hPut h bs,
      decodeStream = \h use ->
        let records = do
              prefix <- S.hGet h 8
              unless (S.null prefix) $ do
                n <- Store.decodeIO prefix
                S.hGet h n >>= Store.decodeIO >>= use
                records
         in records
    }

-- The records, repeated this often. The records themselves are repeated, not their builders. Those
-- would keep results of the first time: binary's would keep all text in UTF-8.
repeated :: Int -> [Package] -> [Package]
repeated times packages = concat (replicate times packages)

-- The next bytes of a file, in chunks of the size that ashlar uses.
chunk :: Handle -> IO S.ByteString
chunk h = S.hGetSome h 32768
