{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Stat
-- Description : stat: where do the bytes go?
--
-- Note [Nodes]
-- ~~~~~~~~~~~~
-- There is a node for each path, one for all schemas of a file that have it. It counts its own
-- bytes, in the plain format: those of a leaf, of a length, or of a tag. What a path has in all is
-- added up at the end. So a recursive type, whose parts are counted where it occurs first, has no
-- byte twice. There are 2,000 nodes at most, because an untrusted schema may have any number of
-- paths. What has no node counts for the one above.
module Ashlar.Cli.Stat
  ( stat,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli.Console
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.Cli.Path
import Ashlar.File.Blocks hiding (Schema)
import Ashlar.Schema
import Ashlar.Schema.Internal.Json.Values
import Control.Monad (zipWithM_)
import qualified Data.ByteString as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import System.Exit (ExitCode)

data Node = Node
  { nodeCount :: !(IORef Int64),
    nodeOwn :: !(IORef Int64),
    -- | With the position of each, for their order.
    nodeParts :: !(IORef (M.Map Step (Int, Node)))
  }

-- | Show how many records, blocks and bytes there are, which parts of the values take them, and
-- what the values would take in the packed format.
stat :: Handles -> Selection -> Input -> IO ExitCode
stat hs selection input = do
  needFile "stat" (inputPath input)
  size <- fromMaybe 0 <$> fileSizeOf (inputPath input)
  ahead <- case input of
    RecordFile path -> do
      found <- foldBlocks (readOptions selection) path (\t e -> pure $! counted t e) (0, 0, 0, 0, 0)
      case found of
        Left _ -> pure ()
        Right (files, records, blocks, stored, expanded) ->
          putLines hs . aligned $
            [[shown files, "files that were joined"] | files > 1]
              ++ [ [shown records, "records"],
                   [shown blocks, "blocks of records"],
                   [shown size, "bytes in the file"],
                   [ shown stored,
                     "bytes of records" <> (if stored == expanded then "" else ", compressed")
                   ]
                 ]
              ++ [[shown expanded, "bytes of records, expanded"] | stored /= expanded]
      pure []
    -- (Shown later, if it is no file of records.)
    BareFile _ _ -> pure (aligned [[shown size, "bytes in the file"]])
  nodes <- newIORef (0 :: Int)
  root <- newNode
  inPacked <- newIORef 0
  let counting s = inBoth (account nodes root (plainSchema s)) <$> getPlainValue s
      inBoth inPlain value = do
        () <- inPlain value
        modifyIORef' inPacked (+ encodedLength (InPacked value))
  ((), end) <- foldInput hs selection input counting (\_ act -> act) ()
  rows <- rowsOf [] root
  packedBytes <- readIORef inPacked
  let total = maximum (0 : [bytes | (_, bytes, _) <- rows])
      row (path, bytes, n) =
        [shown bytes, percent bytes total, shown n, T.pack (oneLine (T.unpack (showPath path)))]
  putLines hs $
    ahead
      ++ "" :
    aligned (["bytes", "share", "values", "path"] : map row rows)
      ++ ["", T.unwords ["packed:", shown packedBytes, "bytes,", percent packedBytes total]]
  pure (exitOf end)
  where
    counted (files, records, blocks, stored, expanded) event = case event of
      WholeBlock b
        | blockKind h == Records ->
          let r = records + fromIntegral (blockCount h) :: Int64
              n = blocks + 1 :: Int64
              s = stored + fromIntegral (blockStored h) :: Int64
              e = expanded + fromIntegral (blockExpanded h) :: Int64
           in r `seq` n `seq` s `seq` e `seq` (files, r, n, s, e)
        where
          h = blockHeader b
      FileBegins _ _ -> let n = files + 1 :: Int64 in n `seq` (n, records, blocks, stored, expanded)
      _ -> (files, records, blocks, stored, expanded)
    percent n total =
      let tenths = (n * 1000 + total `div` 2) `div` max 1 total
       in T.concat [shown (tenths `div` 10), ".", shown (tenths `mod` 10), " %"]

encodedLength :: Value -> Int64
encodedLength value = fromIntegral (B.length (toStrictByteString (putValue value)))

shown :: Show a => a -> Text
shown x = T.pack (show x)

-- Columns, of which all but the last are aligned to the right.
aligned :: [[Text]] -> [Text]
aligned rows = map line rows
  where
    widths = map (maximum . map T.length) (columns rows)
    columns rs = if any null rs then [] else map (take1 "") rs : columns (map (drop 1) rs)
    take1 x xs = case xs of
      y : _ -> y
      [] -> x
    line r = T.intercalate "  " (zipWith3 cell [1 ..] widths r)
    cell i w t = if i == length widths then t else T.justifyRight w ' ' t

newNode :: IO Node
newNode = Node <$> newIORef 0 <*> newIORef 0 <*> newIORef M.empty

-- All paths, with their bytes and numbers of values. The outermost comes first.
rowsOf :: Path -> Node -> IO [(Path, Int64, Int64)]
rowsOf path node = do
  own <- readIORef (nodeOwn node)
  n <- readIORef (nodeCount node)
  parts <- List.sortOn (\(step, (k, _)) -> (k, step)) . M.toList <$> readIORef (nodeParts node)
  below <- mapM (\(step, (_, part')) -> rowsOf (path ++ [step]) part') parts
  let direct = sum [bytes | (_, bytes, _) : _ <- below]
  pure ((path, own + direct, n) : concat below)

-- Add a value to the nodes: Note [Nodes].
account :: IORef Int -> Node -> Schema -> Value -> IO ()
account nodes root s =
  \value -> modifyIORef' (nodeCount root) (+ 1) >> go root IM.empty (schemaRoot s) value
  where
    shapes = shapesOf s
    definitions = schemaDefinitions s
    own node n = modifyIORef' (nodeOwn node) (+ n)
    leaf node value = own node (encodedLength value)

    go :: Node -> IM.IntMap Node -> Shape -> Value -> IO ()
    go node above shape value = case (bareShape shapes shape, value) of
      (Optional inner, Perhaps m) -> own node 1 >> mapM_ (go node above inner) m
      (Tuple ss, Several xs) -> zipWithM_ (field node above) (numbered ss) (V.toList xs)
      (List _ inner, Elements _ xs) -> elements node above inner xs value
      (NonEmpty _ inner, Elements _ xs) -> elements node above inner xs value
      (Set _ inner, Elements _ xs) -> elements node above inner xs value
      (Map _ k x, Entries len xs) -> do
        leaf node (Elements len V.empty)
        keys <- part' node 0 EachKey
        values <- part' node 1 EachValue
        V.forM_ xs $ \(a, b) -> visit keys above k a >> visit values above x b
      (Array _ inner, Indexed low high xs) -> do
        leaf node low >> leaf node high >> own node 8
        each <- part' node 0 Each
        V.forM_ xs (visit each above inner)
      (Reference i, _) -> case IM.lookup i above of
        Just earlier -> definition earlier above i value
        Nothing -> definition node (IM.insert i node above) i value
      _ -> leaf node value

    elements node above inner xs value = do
      case value of
        Elements len _ -> leaf node (Elements len V.empty)
        _ -> pure ()
      each <- part' node 0 Each
      V.forM_ xs (visit each above inner)

    definition node above i value = case (definitions V.! i, value) of
      (Definition _ Newtype _ [Constructor _ _ [f]], _) -> go node above (fieldShape f) value
      (_, Fields c xs) -> zipWithM_ (field node above) (fieldsOf c) (V.toList xs)
      (_, Tagged n tag c xs) -> do
        own node (if n > 256 then 2 else 1)
        inside <- part' node tag (Named (constructorName c))
        modifyIORef' (nodeCount inside) (+ 1)
        zipWithM_ (field inside above) (fieldsOf c) (V.toList xs)
      _ -> leaf node value

    fieldsOf c = zipWith (\k f -> (k, fieldName f, fieldShape f)) [0 ..] (constructorFields c)
    numbered = zipWith (\k sh -> (k, shown (k + 1), sh)) [0 :: Int ..]
    field node above (k, name, shape) x = do
      inside <- part' node k (Named name)
      visit inside above shape x
    visit node above shape x = modifyIORef' (nodeCount node) (+ 1) >> go node above shape x

    part' node k step = do
      parts <- readIORef (nodeParts node)
      case M.lookup step parts of
        Just (_, found) -> pure found
        Nothing -> do
          n <- readIORef nodes
          if n >= 2000
            then pure node
            else do
              new <- newNode
              writeIORef nodes (n + 1)
              writeIORef (nodeParts node) (M.insert step (k, new) parts)
              pure new
